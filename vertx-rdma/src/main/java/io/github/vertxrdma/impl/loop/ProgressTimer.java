package io.github.vertxrdma.impl.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Polls a sleeping queue now and then: for peers whose operations wait for this side's progress, and for queues that nobody can wake.
 * At most one timer is pending, and a longer sleep never replaces a shorter one, so traffic costs no timer operations.
 */
final class ProgressTimer implements Runnable {
  private final EventLoop loop;
  private final Runnable poll;
  private ScheduledFuture<?> pending;
  private long deadline;
  private int idle;
  private boolean stopped;

  ProgressTimer(EventLoop loop, Runnable poll) {
    this.loop = loop;
    this.poll = poll;
  }

  /** The queue had something. */
  void busy() {
    idle = 0;
  }

  /** Sleeps in a row that ended with nothing found. */
  int idle() {
    return idle;
  }

  /** The queue falls asleep and is to be polled after so many nanoseconds. */
  void sleep(long nanos) {
    if (nanos == Long.MAX_VALUE || stopped) {
      return;
    }
    long at = System.nanoTime() + nanos;
    if (pending != null) {
      if (deadline - at <= 0) {
        return;
      }
      pending.cancel(false);
    }
    deadline = at;
    pending = loop.schedule(this, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void run() {
    pending = null;
    if (!stopped) {
      if (idle < 16) {
        idle++;
      }
      poll.run();
    }
  }

  /** From now on nothing is polled by time. */
  void stop() {
    stopped = true;
    if (pending != null) {
      pending.cancel(false);
      pending = null;
    }
  }
}
