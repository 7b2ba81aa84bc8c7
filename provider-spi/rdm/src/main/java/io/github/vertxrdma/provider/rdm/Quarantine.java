package io.github.vertxrdma.provider.rdm;

/**
 * Counts operations that the fabric may never complete because their peer is dead: those of ended connections and late control messages.
 * Each occupies an entry of the send queue.
 */
final class Quarantine {
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  int operations;
  /** Number of reads, writes and atomics among the {@link #operations}. */
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

  /** Returns true on the first call since {@link #operations} was 0. */
  boolean report() {
    boolean first = !reported;
    reported = true;
    return first;
  }

  void postpone(long now) {
    since = now;
  }
}
