package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.Deadline;
import io.netty.channel.EventLoop;

/**
 * Timer that polls a sleeping queue. Keeps an earlier deadline when a later one is set, so that traffic does not reset the timer. Confined
 * to the loop.
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

  void busy() {
    idle = 0;
  }

  int idle() {
    return idle;
  }

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

  void stop() {
    stopped = true;
    cancel();
  }
}
