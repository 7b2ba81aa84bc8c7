package io.github.vertxrdma.provider.shm;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Thread for calls that change folders, which a file system or a lock of another process may delay. It ends while there is nothing to do.
 */
final class FolderThread {
  private static final long IDLE_SECONDS = 2;
  private static final long AWAIT_SECONDS = 5;
  private static final ScheduledThreadPoolExecutor EXECUTOR = new ScheduledThreadPoolExecutor(1,
    task -> Thread.ofPlatform().daemon().name("vertx-rdma-shm-folder").unstarted(task));

  static {
    EXECUTOR.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    EXECUTOR.allowCoreThreadTimeOut(true);
  }

  private FolderThread() {
  }

  static void run(Runnable call) {
    EXECUTOR.execute(call);
  }

  static void runIn(long seconds, Runnable call) {
    EXECUTOR.schedule(call, seconds, TimeUnit.SECONDS);
  }

  /** Waits until all earlier calls of {@link #run} have ended, at most 5 s. */
  static void await() {
    try {
      EXECUTOR.submit(() -> {
      }).get(AWAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // The calls are made all the same.
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      // The calls are made later.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
