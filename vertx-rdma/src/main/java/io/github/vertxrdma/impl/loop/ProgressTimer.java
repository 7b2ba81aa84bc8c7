package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.base.Deadline;
import io.netty.channel.EventLoop;

/**
 * Polls a sleeping queue now and then: for peers whose operations wait for the progress of this side, and for queues that nothing can wake.
 * A longer sleep never replaces a shorter one, so traffic does not move the deadline. Confined to the loop.
 */
final class ProgressTimer extends Deadline {
  private final EventLoop loop;
  private final Runnable poll;
  private int idle;
  private boolean stopped;

  ProgressTimer(EventLoop loop, Runnable poll) {
    this.loop = loop;
    this.poll = poll;
  }

  /** Called when a poll found something. */
  void busy() {
    idle = 0;
  }

  /** Returns how many sleeps in a row ended without anything found. */
  int idle() {
    return idle;
  }

  /** Has the queue polled after a time, in which it sleeps. @param nanos {@link Long#MAX_VALUE} for never */
  void sleep(long nanos) {
    if (nanos == Long.MAX_VALUE || stopped) {
      return;
    }
    long at = System.nanoTime() + nanos;
    if (!isSet() || at - at() < 0) {
      EventLoopHost.deadlines(loop).setAt(this, at);
    }
  }

  @Override
  protected void expired() {
    if (!stopped) {
      if (idle < 16) {
        idle++;
      }
      poll.run();
    }
  }

  /** Ends polling by time. */
  void stop() {
    stopped = true;
    cancel();
  }
}
