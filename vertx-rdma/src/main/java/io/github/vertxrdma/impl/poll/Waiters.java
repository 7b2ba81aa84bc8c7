package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;

final class Waiters {
  private Waiters() {
  }

  static Waiter choose(CompletionPoller poller, ProgressTimer timer, Progress progress) {
    return switch (poller.queue().waiting()) {
      case FD -> FdWatch.possible(poller.eventLoop()) ? new FdWaiter(poller, timer, progress) : new WakeSocketWaiter(poller, timer);
      case WAKEUP -> new WakeupWaiter(poller, timer, progress);
      case NONE -> new WakeSocketWaiter(poller, timer);
    };
  }
}
