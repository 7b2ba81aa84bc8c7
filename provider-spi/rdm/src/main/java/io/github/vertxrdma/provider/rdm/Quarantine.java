package io.github.vertxrdma.provider.rdm;

/**
 * Operations to peers that are gone: the fabric keeps their memory and their place in its queue, some until their peer comes back. Beyond a
 * bound, when none has come back for a while, only a new raw endpoint helps.
 */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  private int operations;
  private int oneSided;
  private long lastChange;
  private boolean reported;

  /** A connection ended with so many operations outstanding, among them so many one-sided ones. */
  void add(int outstanding, int oneSidedOnes) {
    if (outstanding > 0) {
      operations += outstanding;
      oneSided += oneSidedOnes;
      lastChange = System.nanoTime();
    }
  }

  /** One came back. */
  void returned(boolean wasOneSided) {
    operations--;
    oneSided -= wasOneSided ? 1 : 0;
    lastChange = System.nanoTime();
    reported &= operations > 0;
  }

  int operations() {
    return operations;
  }

  /** Those among them that nobody tells the end of; nobody waits for it either. */
  int oneSided() {
    return oneSided;
  }

  /** Whether more than that many will not come back. */
  boolean exceeds(int bound) {
    return operations > bound && System.nanoTime() - lastChange > PATIENCE_NANOS;
  }

  /** @return true the first time since it was empty */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  /** Waits before the next try. */
  void postpone() {
    lastChange = System.nanoTime();
  }
}
