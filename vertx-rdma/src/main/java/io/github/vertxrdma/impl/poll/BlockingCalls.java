package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs blocking calls one after the other, on daemon threads that all instances share. Worker pools are not used, because Vert.x closes
 * them before a node makes its last calls. Thread-safe.
 */
public final class BlockingCalls {
  private static final int THREADS = 20;
  /**
   * Seconds after which an idle thread ends. Threads take calls in rotation, so 20 s would keep all threads alive at one call per second.
   */
  private static final long IDLE_SECONDS = 2;
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final Tasks TASKS = new Tasks();
  private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, TASKS, task -> {
    Thread thread = new Thread(null, task, "vertx-rdma-blocking-" + NUMBERS.getAndIncrement(), 0, false);
    thread.setDaemon(true);
    return thread;
  }, (task, executor) -> TASKS.put(task));

  private final ContextInternal context;
  private final Executor executor;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /** Accepts a task only if a thread is idle. Otherwise the executor starts a thread. */
  private static final class Tasks extends LinkedTransferQueue<Runnable> {
    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
      return tryTransfer(task);
    }
  }

  public BlockingCalls(ContextInternal context) {
    this(context, EXECUTOR);
  }

  BlockingCalls(ContextInternal context, Executor executor) {
    this.context = context;
    this.executor = executor;
    // Starts the event loop's thread, which keeps the process alive until Vert.x is closed.
    ThreadLimit.start(() -> LoopCall.startThread(context.nettyEventLoop()));
  }

  /** Like {@link #call}. The future completes on the context. */
  public static <T> Future<T> once(ContextInternal context, Callable<T> call) {
    try {
      return new BlockingCalls(context).onContext(call);
    } catch (RdmaException e) {
      return Future.failedFuture(e);
    }
  }

  /** Like {@link #call}. The future completes on this object's context. */
  public <T> Future<T> onContext(Callable<T> call) {
    return LoopCall.result(context, call(call));
  }

  /** Like {@link #call}. The future completes on the caller's context. */
  public <T> Future<T> result(Callable<T> call) {
    Promise<T> result = LoopCall.promise(context.owner());
    call(call).onComplete(result);
    return result.future();
  }

  /**
   * Runs a call on a shared thread after earlier calls of this object. The future completes on that thread, and fails if no thread starts.
   */
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
      }, executor).exceptionally(notStarted -> {
        result.tryFail(ThreadLimit.named(notStarted instanceof CompletionException e ? e.getCause() : notStarted));
        return null;
      });
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
