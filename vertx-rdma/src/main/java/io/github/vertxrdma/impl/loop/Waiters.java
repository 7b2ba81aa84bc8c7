package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.netty.channel.IoEventLoop;

/** Chooses how a queue is waited for. */
final class Waiters {
  private Waiters() {
  }

  static Waiter choose(CompletionPoller poller, ProgressTimer timer, Progress progress) {
    return switch (poller.queue().waiting()) {
      case FD -> EpollWaiter.fits(poller.eventLoop())
        ? new EpollWaiter((IoEventLoop) poller.eventLoop(), poller, timer, progress)
        : new TimerWaiter(poller.queue(), timer);
      case WAKEUP -> new WakeupWaiter(poller, timer, progress);
      case NONE -> new TimerWaiter(poller.queue(), timer);
    };
  }
}
