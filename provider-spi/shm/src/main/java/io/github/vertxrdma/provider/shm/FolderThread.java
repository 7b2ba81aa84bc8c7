package io.github.vertxrdma.provider.shm;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Background thread for changes to socket folders, which another process can delay. Ends after 2 s without work. */
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

  /** Runs a call on the thread. If the thread cannot start, the call waits until a later call starts it. */
  static void run(Runnable call) {
    try {
      EXECUTOR.schedule(call, 0, TimeUnit.SECONDS);
    } catch (OutOfMemoryError e) {
      // The executor has queued the call.
    }
  }

  /** Waits at most 5 s until the tasks of all earlier calls of {@link #run} have ended. */
  static void await() {
    try {
      EXECUTOR.submit(() -> {
      }).get(AWAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      // The tasks run later.
    } catch (OutOfMemoryError e) {
      // No thread can be started. A later call may start it.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
