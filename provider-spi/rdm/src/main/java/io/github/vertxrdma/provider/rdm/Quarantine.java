package io.github.vertxrdma.provider.rdm;

/** Operations to dead peers, which the fabric may never complete. Each occupies an entry of the fabric's send queue. */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  int operations;
  /** Number of these operations whose end wakes no sleeping thread. */
  int oneSided;
  private long since;
  private boolean reported;

  void add(int outstanding, int oneSidedOnes) {
    operations += outstanding;
    oneSided += oneSidedOnes;
  }

  void returned(boolean wasOneSided) {
    operations--;
    oneSided -= wasOneSided ? 1 : 0;
    reported &= operations > 0;
  }

  boolean lasts(long now) {
    return operations > 0 && now - since > PATIENCE_NANOS;
  }

  /** Returns true on the first call after the quarantine was empty. */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  void postpone(long now) {
    since = now;
  }
}
