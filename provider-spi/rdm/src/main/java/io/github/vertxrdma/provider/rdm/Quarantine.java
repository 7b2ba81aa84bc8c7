package io.github.vertxrdma.provider.rdm;

/**
 * Operations to dead peers: the fabric keeps their memory and their place in its queue, some until their peer returns. Above a limit, when
 * none has completed for a while, only a new raw endpoint helps.
 */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  int operations;
  /** Operations among them whose end is not reported, and which no caller waits for. */
  int oneSided;
  private long since;
  private boolean reported;

  /** Called when a connection ended with outstanding operations, and how many of them are one-sided. */
  void add(int outstanding, int oneSidedOnes) {
    operations += outstanding;
    oneSided += oneSidedOnes;
  }

  /** Called when an operation completed. */
  void returned(boolean wasOneSided) {
    operations--;
    oneSided -= wasOneSided ? 1 : 0;
    reported &= operations > 0;
  }

  /** Returns whether the remaining operations will not complete. */
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
   * Starts the time to wait for the remaining operations: they have become too many, or one of a connection completed. Further ones do not
   * extend it.
   */
  void postpone(long now) {
    since = now;
  }
}
