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
  private long since;
  private boolean reported;

  /** A connection ended with so many operations outstanding, among them so many one-sided ones. */
  void add(int outstanding, int oneSidedOnes) {
    operations += outstanding;
    oneSided += oneSidedOnes;
  }

  /** One came back. */
  void returned(boolean wasOneSided) {
    operations--;
    oneSided -= wasOneSided ? 1 : 0;
    reported &= operations > 0;
  }

  /** Whether those that are left will not come back. */
  boolean lasts(long now) {
    return operations > 0 && now - since > PATIENCE_NANOS;
  }

  /** @return true the first time since it was empty */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  /**
   * Waits from now on for those that are left: they have become too many, or a connection's came back. Further ones do not put that off.
   */
  void postpone(long now) {
    since = now;
  }
}
