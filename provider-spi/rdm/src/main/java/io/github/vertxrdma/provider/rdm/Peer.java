package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;

/** An entry of the address vector, how many connections, messages and operations use it, and how it takes the layer's own messages. */
final class Peer {
  /** The pause after a refused try, which doubles: a peer that is gone answers AGAIN for ever. */
  private static final long FIRST_PAUSE_NANOS = 200_000;
  private static final long LAST_PAUSE_NANOS = 50_000_000;
  /** The pause after the first late message; each further one doubles it. */
  private static final long SILENCE_NANOS = 1_000_000_000;

  final EndpointAddress address;
  final long handle;
  private int users;
  private long epoch;
  /** Whether it is there by more than its own word: this side calls it, or a handshake with it came to its end. */
  boolean known;

  // Messages of the layer's own to it.

  /** Those that wait, those with the fabric, and those that the fabric keeps for too long. */
  int waiting;
  int underWay;
  int late;
  /** 0 for none. */
  private long pause;
  private long nextTry;

  Peer(EndpointAddress address, long handle, boolean known) {
    this.address = address;
    this.handle = handle;
    this.known = known;
  }

  /** Notes the epoch that a message told. @return whether it was another one before: another process is at the address now */
  boolean renewed(long now) {
    boolean changed = epoch != 0 && epoch != now;
    epoch = now;
    return changed;
  }

  Peer retain() {
    users++;
    return this;
  }

  /** @return whether that was the last use */
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

  /** The fabric did not take a message. */
  void refused(long now) {
    pause(pause == 0 ? FIRST_PAUSE_NANOS : Math.min(LAST_PAUSE_NANOS, 2 * pause), now);
  }

  /** The fabric took a message. */
  void taken() {
    underWay++;
    pause = 0;
  }

  /** The fabric keeps a message for too long. */
  void late(long now) {
    underWay--;
    late++;
    pause(SILENCE_NANOS << late - 1, now);
  }

  /** The fabric gave a message back. */
  void returned(boolean wasLate) {
    if (wasLate) {
      late--;
      pause = 0;
    } else {
      underWay--;
    }
  }
}
