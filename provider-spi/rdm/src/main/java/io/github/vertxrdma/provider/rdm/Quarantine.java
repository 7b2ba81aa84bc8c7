package io.github.vertxrdma.provider.rdm;

/**
 * Operations to peers that are gone: the fabric keeps their memory and their place in its queue, some until their peer comes back. Beyond a
 * bound, when none has come back for a while, only a new raw endpoint helps.
 */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  int operations;
  /** Those among them that nobody tells the end of; nobody waits for it either. */
  int oneSided;
  private long lastChange;
  private boolean reported;

  /** A connection ended with so many operations outstanding, among them so many one-sided ones. */
  void add(int outstanding, int oneSidedOnes, long now) {
    if (outstanding > 0) {
      operations += outstanding;
      oneSided += oneSidedOnes;
      lastChange = now;
    }
  }

  /** One came back. */
  void returned(boolean wasOneSided, long now) {
    operations--;
    oneSided -= wasOneSided ? 1 : 0;
    lastChange = now;
    reported &= operations > 0;
  }

  /** Whether those that are left will not come back. */
  boolean lasts(long now) {
    return operations > 0 && now - lastChange > PATIENCE_NANOS;
  }

  /** @return true the first time since it was empty */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  /** Waits before the next try. */
  void postpone(long now) {
    lastChange = now;
  }
}
