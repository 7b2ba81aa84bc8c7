package io.github.vertxrdma.provider.rdm;

/**
 * Operations to peers that are gone: the fabric keeps their memory and their place in its queue, some until their peer comes back. Beyond a
 * bound, when none has come back for a while, only a new raw endpoint helps.
 */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  private int operations;
  private long lastChange;
  private boolean reported;

  /** A connection ended with so many operations outstanding. */
  void add(int outstanding) {
    if (outstanding > 0) {
      operations += outstanding;
      lastChange = System.nanoTime();
    }
  }

  /** One came back. */
  void returned() {
    operations--;
    lastChange = System.nanoTime();
    reported &= operations > 0;
  }

  int operations() {
    return operations;
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
