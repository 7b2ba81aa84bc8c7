package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.poll.LoopCall;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Counts the bytes of received messages that wait in a queue or for another event loop. Pauses the peer above {@link #HIGH} bytes, and
 * resumes it at half of that.
 */
public final class Backpressure {
  private static final AtomicLongFieldUpdater<Backpressure> BYTES = AtomicLongFieldUpdater.newUpdater(Backpressure.class, "bytes");
  public static final int HIGH = 4 << 20;
  private static final int LOW = HIGH / 2;
  private static final int OVERHEAD = 64;

  private final Executor loop;
  private final Object source;
  private final Peer peer;
  private final Runnable releaseIfLow = this::releaseIfLow;
  private volatile long bytes;
  private volatile boolean full;
  private boolean pausedByReader;

  @FunctionalInterface
  public interface Peer {
    void hold(boolean back);
  }

  public Backpressure(Executor loop, Peer peer) {
    this(loop, null, peer);
  }

  /** @param source the source of a link whose messages may wait for a paused reader; otherwise null */
  public Backpressure(Executor loop, Object source, Peer peer) {
    this.loop = loop;
    this.source = source;
    this.peer = peer;
  }

  /** A message may be removed before it is added. */
  long bytes() {
    return Math.max(0, bytes);
  }

  public void add(int size) {
    if (BYTES.addAndGet(this, OVERHEAD + size) > HIGH && !full) {
      set(true, pausedByReader);
      // If the reader removed the bytes before full was set, only this call resumes the peer.
      releaseIfLow();
    }
    if (source != null && size > LargeMessages.SMALL) {
      LargeMessages.PROCESS.unread(source, this);
    }
  }

  public void hold(boolean back) {
    set(full, back);
  }

  private void releaseIfLow() {
    if (full && bytes <= LOW) {
      set(false, pausedByReader);
    }
  }

  private void set(boolean fullNow, boolean pausedNow) {
    boolean held = full || pausedByReader;
    full = fullNow;
    pausedByReader = pausedNow;
    if (held != (fullNow || pausedNow)) {
      peer.hold(!held);
    }
  }

  public void remove(int size) {
    if (BYTES.addAndGet(this, -OVERHEAD - size) <= LOW && full) {
      LoopCall.execute(loop, releaseIfLow);
    }
    if (source != null && size > LargeMessages.SMALL) {
      LargeMessages.PROCESS.taken();
    }
  }
}
