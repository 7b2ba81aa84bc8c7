package io.github.vertxrdma.impl.transport;

import java.util.concurrent.atomic.LongAdder;

/** Counts of connections over the fabric, and of those that should have gone there and took TCP, in this process. Thread-safe. */
public final class TransportCounters {
  /** Of this process. */
  public static final TransportCounters PROCESS = new TransportCounters();

  private final LongAdder connected = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder fallbacks = new LongAdder();
  private final LongAdder byTcp = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder received = new LongAdder();

  void connected() {
    connected.increment();
  }

  void accepted() {
    accepted.increment();
  }

  /** A connection that was meant for the fabric took TCP. */
  void fellBack() {
    fallbacks.increment();
  }

  /** A server that listens on the fabric too accepted a connection by TCP: its client does not know, or is none of ours. */
  void acceptedByTcp() {
    byTcp.increment();
  }

  void sent(long bytes) {
    sent.add(bytes);
  }

  void received(long bytes) {
    received.add(bytes);
  }

  /** Channels connected and accepted over a fabric. */
  public long channels() {
    return connected.sum() + accepted.sum();
  }

  /** Bytes sent and received over a fabric. */
  public long bytes() {
    return sent.sum() + received.sum();
  }

  /** Connections that were meant for a fabric and took TCP. */
  public long fallbacks() {
    return fallbacks.sum();
  }

  @Override
  public String toString() {
    return "fabric: " + connected.sum() + " channels connected, " + accepted.sum() + " accepted, " + sent.sum() + " bytes sent, "
      + received.sum() + " received, " + fallbacks.sum() + " meant for the fabric took TCP; its servers accepted " + byTcp.sum()
      + " by TCP";
  }
}
