package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Waiting;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class Sleeper {
  private final CompletionQueue queue;
  private final Semaphore bell = new Semaphore(0);
  private int slept;

  Sleeper(CompletionQueue queue) {
    this.queue = queue;
    if (queue.waiting() == Waiting.WAKEUP) {
      queue.wakeupHandler(bell::release);
    }
  }

  int slept() {
    return slept;
  }

  /** @return false if the time passed without a wake-up; if the queue has no wake-ups, true after a short while */
  boolean sleep(int millis) {
    if (!queue.arm()) {
      return true;
    }
    slept++;
    return switch (queue.waiting()) {
      case FD -> PollFd.readable(queue.fd(), millis);
      case WAKEUP -> ring(millis);
      case NONE -> {
        LockSupport.parkNanos(20_000);
        yield true;
      }
    };
  }

  private boolean ring(int millis) {
    try {
      boolean rung = bell.tryAcquire(millis, TimeUnit.MILLISECONDS);
      bell.drainPermits();
      return rung;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
