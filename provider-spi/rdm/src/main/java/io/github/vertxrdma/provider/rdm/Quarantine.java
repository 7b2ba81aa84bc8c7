package io.github.vertxrdma.provider.rdm;

/** Operations to dead peers: the fabric keeps their memory and their place in its queue. Above a limit only a new raw endpoint helps. */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  int operations;
  /** Operations whose end is not reported. */
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

  /** @return true the first time since it was empty */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  void postpone(long now) {
    since = now;
  }
}
