package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** Entry of a peer in the address vector, with the state of {@link ControlMessage}s to the peer. */
final class Peer {
  /** Pause in sending after the first AGAIN; each further pause is twice as long. For a dead peer the fabric always returns AGAIN. */
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LAST_PAUSE_NANOS = 50_000_000;
  /** Pause in sending after the first late message. Each further late message doubles it. */
  private static final long SILENCE_NANOS = 1_000_000_000;

  final EndpointAddress address;
  final long handle;
  private int users;
  private long epoch;
  /** True if this side connects to the peer, or a handshake proved that the peer has this address. */
  boolean known;

  /** Numbers of waiting, posted and late messages of {@link ControlSender}. */
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

  /** Stores the epoch of the peer's {@link RdmEndpoint}. @return true if it has changed: another process has the address now */
  boolean renewed(long now) {
    boolean changed = epoch != 0 && epoch != now;
    epoch = now;
    return changed;
  }

  Peer retain() {
    users++;
    return this;
  }

  /** Ends one use. @return true if it was the last */
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
