package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.unix.FileDescriptor;
import io.vertx.core.Future;

/** Waits for the queue's fd. */
final class FdWaiter implements Waiter {
  private final CompletionQueue queue;
  private final ProgressTimer timer;
  private final boolean manual;
  private final FdWatch watch;

  FdWaiter(CompletionPoller poller, ProgressTimer timer, Progress progress) {
    this.queue = poller.queue();
    this.timer = timer;
    this.manual = progress == Progress.MANUAL;
    this.watch = FdWatch.of(poller.eventLoop(), new FileDescriptor(queue.fd()), poller::ready);
  }

  @Override
  public void prepare() {
    watch.prepare();
  }

  @Override
  public void start() {
    watch.start();
  }

  @Override
  public boolean settle(boolean found) {
    if (!queue.arm()) {
      return false;
    }
    // Completions since it was armed are seen all the same: the fd is readable then.
    watch.again();
    return true;
  }

  @Override
  public void polled() {
    watch.pause();
  }

  @Override
  public long longestSleep() {
    return manual ? SleepTimes.WOKEN.after(timer.idle()) : Long.MAX_VALUE;
  }

  @Override
  public Future<Void> stop() {
    return watch.stop();
  }
}
