package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;

/** Waits for nothing but time, where neither fd, wake-up nor waker can be had. */
final class TimerWaiter implements Waiter {
  private final CompletionQueue queue;
  private final ProgressTimer timer;

  TimerWaiter(CompletionQueue queue, ProgressTimer timer) {
    this.queue = queue;
    this.timer = timer;
  }

  @Override
  public void start() {
  }

  @Override
  public boolean settle(boolean found) {
    return !found && queue.arm();
  }

  @Override
  public void awake() {
  }

  @Override
  public long longestSleep() {
    return queue.unannounced() > 0 ? SleepTimes.UNANNOUNCED.after(timer.idle()) : SleepTimes.ALONE.after(timer.idle());
  }

  @Override
  public Future<Void> stop() {
    return Future.succeededFuture();
  }

  @Override
  public String describe() {
    return "a timer of 1 to 20 ms, since the event loop cannot wait for fds";
  }
}
