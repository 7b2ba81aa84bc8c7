package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.vertx.core.Future;
import java.util.concurrent.atomic.AtomicBoolean;

final class WakeupWaiter implements Waiter, Runnable {
  private static final Runnable NOBODY = () -> {
  };

  private final CompletionPoller poller;
  private final CompletionQueue queue;
  private final boolean manual;
  private final Runnable onLoop = this::woken;
  private final AtomicBoolean pending = new AtomicBoolean();

  WakeupWaiter(CompletionPoller poller, Progress progress) {
    this.poller = poller;
    this.queue = poller.queue();
    this.manual = progress == Progress.MANUAL;
  }

  @Override
  public void start() {
    queue.wakeupHandler(this);
  }

  /** Called on a provider's thread. Queues at most one task on the loop. */
  @Override
  public void run() {
    if (pending.compareAndSet(false, true) && !LoopCall.execute(poller.eventLoop(), onLoop)) {
      pending.set(false);
    }
  }

  private void woken() {
    pending.set(false);
    poller.ready();
  }

  @Override
  public boolean prepareSleep(boolean found) {
    return queue.arm();
  }

  @Override
  public long longestSleep() {
    return manual ? SleepTimes.WOKEN.after(poller.timer.idle()) : Long.MAX_VALUE;
  }

  @Override
  public Future<Void> stop() {
    queue.wakeupHandler(NOBODY);
    return Future.succeededFuture();
  }
}
