package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs blocking calls in order, off the event loops and the application's worker threads. The thread ends after two idle seconds. */
public final class ControlThread {
  private final Vertx vertx;
  private final ThreadPoolExecutor executor;

  public ControlThread(Vertx vertx, String name) {
    this.vertx = vertx;
    executor = new ThreadPoolExecutor(1, 1, 2, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    });
    executor.allowCoreThreadTimeOut(true);
  }

  /** Returns the result on the caller's context. */
  public <T> Future<T> call(Callable<T> call) {
    Promise<T> promise = LoopCall.promise((VertxInternal) vertx);
    boolean accepted = LoopCall.execute(executor, () -> {
      try {
        promise.complete(call.call());
      } catch (Throwable e) {
        promise.fail(e);
      }
    });
    if (!accepted) {
      promise.fail(new RdmaException(Reason.CLOSED, "the directory is closed"));
    }
    return promise.future();
  }

  /** Refuses further calls. Queued calls still run. */
  public void close() {
    executor.shutdown();
  }
}
