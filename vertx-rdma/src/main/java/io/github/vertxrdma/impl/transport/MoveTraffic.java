package io.github.vertxrdma.impl.transport;

import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what passes a channel, and asks for the fabric or for TCP as a measure decides, or as the peer does. Confined to the channel's
 * event loop, except for the counts.
 */
final class MoveTraffic {
  /** Numbers of messages and bytes after which the busy handler is called. */
  private static final int PACE_MESSAGES = 128;
  private static final int PACE_BYTES = 128 << 10;

  private final MoveHandler handler;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong messages = new AtomicLong();
  private long paceBytes;
  private long paceMessages;
  private Runnable busyHandler;
  /** Decides when to use the fabric; null if the peer does, or the setting. */
  private PeerMeasure measure;
  /** True if the peer decides for both directions. */
  private boolean follows;

  MoveTraffic(MoveHandler handler) {
    this.handler = handler;
  }

  EventLoop loop() {
    return handler.loop();
  }

  /** Number of bytes written and read, by TCP and over fabrics. Thread-safe. */
  long bytes() {
    return bytes.getOpaque();
  }

  /** Number of reads and flushes. Thread-safe. */
  long messages() {
    return messages.getOpaque();
  }

  /** Sets a handler that is called each time after some messages or bytes. */
  void busyHandler(Runnable called) {
    busyHandler = called;
  }

  void count(long size, int passed) {
    long bytesNow = bytes.getPlain() + size;
    long messagesNow = messages.getPlain() + passed;
    bytes.setOpaque(bytesNow);
    messages.setOpaque(messagesNow);
    if (busyHandler != null && (messagesNow - paceMessages >= PACE_MESSAGES || bytesNow - paceBytes >= PACE_BYTES)) {
      paceBytes = bytesNow;
      paceMessages = messagesNow;
      busyHandler.run();
    }
  }

  boolean isMeasured() {
    return measure != null;
  }

  /** Returns whether neither a measure nor the peer decides. */
  boolean isFree() {
    return measure == null && !follows;
  }

  /** @param by null if the peer's measure decides */
  void choose(PeerMeasure by) {
    measure = by;
    follows = by == null;
    if (by != null) {
      busyHandler = by::busy;
      by.add(this);
    }
  }

  /** Takes a decision of a measure, unless the channel has left it meanwhile. */
  void decided(PeerMeasure by, boolean byFabric) {
    if (measure == by) {
      handler.receive(byFabric);
    }
  }

  /** Takes what the peer asks for, if it decides. */
  void follow(boolean byFabric) {
    if (follows) {
      handler.receive(byFabric);
    }
  }

  /** Returns whether a measure or the peer decided until now. */
  boolean leave() {
    boolean decided = !isFree();
    follows = false;
    if (measure != null) {
      measure.remove(this);
      measure = null;
      busyHandler = null;
    }
    return decided;
  }
}
