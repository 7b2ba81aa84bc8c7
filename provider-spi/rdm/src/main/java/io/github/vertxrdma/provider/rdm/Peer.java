package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Entry of the address vector. */
final class Peer {
  /** Pause after a refused attempt, which doubles: for a dead peer the fabric returns AGAIN forever. */
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LAST_PAUSE_NANOS = 50_000_000;
  /** Pause after the first late message; each further one doubles it. */
  private static final long SILENCE_NANOS = 1_000_000_000;

  final EndpointAddress address;
  final long handle;
  private int users;
  private long epoch;
  /** True if this side calls the peer, or a handshake proved that it is at the address. */
  boolean known;

  /** Messages that wait, that the fabric has taken, and that are late. */
  int waiting;
  int underWay;
  int late;
  private long pause;
  private long nextTry;

  Peer(EndpointAddress address, long handle, boolean known) {
    this.address = address;
    this.handle = handle;
    this.known = known;
  }

  /** Notes the epoch of a message. @return true if another process has the address now */
  boolean renewed(long now) {
    boolean changed = epoch != 0 && epoch != now;
    epoch = now;
    return changed;
  }

  Peer retain() {
    users++;
    return this;
  }

  /** @return true if that was the last use */
  boolean release() {
    return --users == 0;
  }

  boolean isPausing(long now) {
    return pause != 0 && nextTry - now > 0;
  }

  private void pause(long nanos, long now) {
    pause = nanos;
    nextTry = now + nanos;
  }

  void refused(long now) {
    pause(pause == 0 ? FIRST_PAUSE_NANOS : Math.min(LAST_PAUSE_NANOS, 2 * pause), now);
  }

  void taken() {
    underWay++;
    pause = 0;
  }

  void late(long now) {
    underWay--;
    late++;
    pause(SILENCE_NANOS << late - 1, now);
  }

  void returned(boolean wasLate) {
    if (wasLate) {
      late--;
      pause = 0;
    } else {
      underWay--;
    }
  }
}
