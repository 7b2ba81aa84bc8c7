package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Waiting;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class Sleeper {
  private final CompletionQueue queue;
  private final Semaphore bell = new Semaphore(0);

  Sleeper(CompletionQueue queue) {
    this.queue = queue;
    if (queue.waiting() == Waiting.WAKEUP) {
      queue.wakeupHandler(bell::release);
    }
  }

  /** Sleeps until a wake-up. @return false after the time; without wake-ups, true after 20 µs */
  boolean sleep(int millis) {
    if (!queue.arm()) {
      return true;
    }
    return switch (queue.waiting()) {
      case FD -> Libc.readable(queue.fd(), millis);
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
