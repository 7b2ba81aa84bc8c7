package io.github.vertxrdma.impl.loop;

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
 * Runs calls that block, one after the other, on threads of this library. Vert.x closes its worker pools before a node is closed, and drops
 * what waits in them. The threads are shared by all instances, and end when they had nothing to do for a while. Thread-safe.
 */
public final class BlockingCalls {
  /** As many as Vert.x has for its own calls. */
  private static final int THREADS = 20;
  /** Idle threads take turns, so a call each second keeps as many threads as this. */
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

  /** Tasks of the executor: it makes a thread for one that no idle thread takes, and the task waits if there are as many as may be. */
  private static final class Tasks extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }
  }

  /** @param context current one during the calls */
  public BlockingCalls(ContextInternal context) {
    this.context = context;
    // Starts the thread of the event loop. It keeps the process alive until the Vert.x is closed, which the daemon threads here do not.
    EventLoopHost.tryExecute(context.nettyEventLoop(), () -> {
    });
  }

  /** Runs a call behind those before it. The future completes on the thread of the call. */
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
