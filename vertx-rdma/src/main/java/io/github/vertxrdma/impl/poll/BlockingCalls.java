package io.github.vertxrdma.impl.poll;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs blocking calls one after the other, on daemon threads that all instances share. Vert.x closes its worker pools before a node is
 * closed, and drops their waiting tasks. Thread-safe.
 */
public final class BlockingCalls {
  private static final int THREADS = 20;
  /** Short, since idle threads take turns: one call per second keeps all of them alive. */
  private static final long IDLE_SECONDS = 2;
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Tasks TASKS = new Tasks();
  private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, TASKS, task -> {
    Thread thread = new Thread(null, task, "vertx-rdma-blocking-" + NUMBERS.getAndIncrement(), 0, false);
    thread.setDaemon(true);
    return thread;
  }, (task, executor) -> TASKS.put(task));

  private final ContextInternal context;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /** Accepts a task only if an idle thread takes it, so that the executor starts a thread. */
  private static final class Tasks extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }
  }

  public BlockingCalls(ContextInternal context) {
    this.context = context;
    // Starts the event loop's thread, which keeps the process alive until the Vert.x is closed.
    LoopCall.execute(context.nettyEventLoop(), () -> {
    });
  }

  /** The future completes on the thread of the call. */
  public <T> Future<T> call(Callable<T> call) {
    Promise<T> result = Promise.promise();
    synchronized (this) {
      last = last.thenRunAsync(() -> {
        T value;
        try {
          value = within(call);
        } catch (Throwable e) {
          result.fail(e);
          return;
        }
        result.complete(value);
      }, EXECUTOR);
    }
    return result.future();
  }

  private <T> T within(Callable<T> call) throws Exception {
    ContextInternal before = context.beginDispatch();
    try {
      return call.call();
    } finally {
      context.endDispatch(before);
    }
  }
}
