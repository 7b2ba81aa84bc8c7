package io.github.vertxrdma.grpc.impl;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;

/** Virtual time: an event loop of Netty, whose clock stands still while tasks run. */
final class CallTime {
  private static final long STEPS = 300_000;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private long now;
  private long steps;

  CallTime() {
    channel.freezeTime();
  }

  EventLoop eventLoop() {
    return channel.eventLoop();
  }

  /** Nanoseconds since the beginning. */
  long now() {
    return now;
  }

  void after(long nanos, Runnable task) {
    channel.eventLoop().schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  /**
   * Runs everything that is due within a time.
   * @return whether later tasks are left
   */
  boolean pass(long nanos) {
    long until = now + nanos;
    for (;;) {
      settle();
      long next = channel.runScheduledPendingTasks();
      if (next == 0 || channel.hasPendingTasks()) {
        continue;
      }
      if (next < 0 || next > until - now) {
        advance(until - now);
        return next >= 0;
      }
      advance(next);
    }
  }

  private void settle() {
    do {
      channel.runPendingTasks();
      channel.checkException();
      if (++steps > STEPS) {
        throw new AssertionError("it does not come to an end");
      }
    } while (channel.hasPendingTasks());
  }

  private void advance(long nanos) {
    now += nanos;
    channel.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
  }
}
