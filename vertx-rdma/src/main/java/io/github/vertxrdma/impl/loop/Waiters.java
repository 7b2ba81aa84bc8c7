package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;

/** Chooses how a queue is waited for. */
final class Waiters {
  private Waiters() {
  }

  static Waiter choose(CompletionPoller poller, ProgressTimer timer, Progress progress) {
    boolean fds = FdWatch.possible(poller.eventLoop());
    return switch (poller.queue().waiting()) {
      case FD -> fds ? new FdWaiter(poller, timer, progress) : new TimerWaiter(poller.queue(), timer);
      case WAKEUP -> new WakeupWaiter(poller, timer, progress);
      case NONE -> fds ? new WakeSocketWaiter(poller, timer) : new TimerWaiter(poller.queue(), timer);
    };
  }
}
