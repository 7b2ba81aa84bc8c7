package io.github.vertxrdma.provider.shm;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads for system calls that another process can delay. They end after a second without work. */
final class DaemonThreads extends ThreadPoolExecutor {
  static final DaemonThreads FOLDER = new DaemonThreads("vertx-rdma-shm-folder", 1);
  private static final long IDLE_SECONDS = 1;
  private static final long AWAIT_SECONDS = 5;

  DaemonThreads(String name, int most) {
    super(most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name(name).factory());
    allowCoreThreadTimeOut(true);
  }

  /** Runs a task. If no thread can start, the task waits until a later task starts one. */
  @Override
  public void execute(Runnable task) {
    try {
      super.execute(task);
    } catch (OutOfMemoryError e) {
      // The executor may have queued the task before it started a thread.
      if (!getQueue().contains(task)) {
        getQueue().add(task);
      }
    }
  }

  /** Tries to start a thread for waiting tasks. */
  void retry() {
    try {
      prestartCoreThread();
    } catch (OutOfMemoryError e) {
      // The next task tries again.
    }
  }

  /** Waits at most 5 s until all earlier tasks have begun. Returns at once if no thread can start. */
  void await() {
    FutureTask<Void> last = new FutureTask<>(() -> null);
    execute(last);
    if (getPoolSize() == 0) {
      return;
    }
    try {
      last.get(AWAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      // The tasks run later.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
