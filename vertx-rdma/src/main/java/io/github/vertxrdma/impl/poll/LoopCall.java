package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.LongWait;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

/**
 * Runs tasks on event loops, and completes futures on contexts of callers. Thread-safe.
 *
 * <p>Tasks for a terminated loop or context do not run: the method returns false, or a future that failed with CLOSED. Results for a
 * terminated context are dropped. After Vert.x has closed, a caller without a context gets its result on any thread.
 */
public final class LoopCall {
  private static final Executor DIRECT = Runnable::run;

  private LoopCall() {
  }

  public static boolean execute(Executor loop, Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Runs a task immediately on the loop's thread, otherwise later. Returns false if the loop has terminated. */
  public static boolean run(EventLoop loop, Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return true;
    }
    return execute(loop, task);
  }

  /**
   * Starts the thread of a loop.
   *
   * @throws OutOfMemoryError if the thread cannot be started. Vert.x would lose results for such a loop.
   */
  public static void startThread(EventLoop loop) {
    if (!loop.inEventLoop()) {
      execute(loop, () -> {
      });
    }
  }

  /** Calls a method that queues a task. Returns false if the loop or context has ended. */
  public static <T, U> boolean attempt(BiConsumer<T, U> method, T target, U argument) {
    try {
      method.accept(target, argument);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Runs a call immediately on the loop's thread, otherwise later. The future completes there. */
  public static <T> Future<T> on(EventLoop loop, Supplier<Future<T>> call) {
    return on(atOnce(loop), Promise.promise(), promise -> call.get().onComplete(promise));
  }

  /** Runs an action immediately on the loop's thread, otherwise later. The future completes on the caller's context. */
  public static <T> Future<T> on(EventLoop loop, ContextInternal caller, Handler<Promise<T>> action) {
    Promise<T> promise = caller.nettyEventLoop() == loop ? promise(caller) : new GuardedPromise<>(caller.promise());
    return on(atOnce(loop), promise, action);
  }

  /** @param promise promise of the caller; the action completes it, or fails it by an exception */
  public static <T> Future<T> on(Executor loop, Promise<T> promise, Handler<Promise<T>> action) {
    boolean accepted = execute(loop, () -> {
      try {
        action.handle(promise);
      } catch (Throwable e) {
        promise.tryFail(e);
      }
    });
    return accepted ? promise.future() : Future.failedFuture(closed());
  }

  private static Executor atOnce(EventLoop loop) {
    return loop.inEventLoop() ? DIRECT : loop;
  }

  /** Returns an executor that runs tasks immediately on the loop's thread, otherwise later. */
  public static Executor atOnce(Scheduler loop) {
    return loop.inLoop() ? DIRECT : loop;
  }

  public static LongWait.Timer timer(EventLoop loop) {
    return (millis, task) -> {
      try {
        ScheduledFuture<?> timer = loop.schedule(task, millis, TimeUnit.MILLISECONDS);
        return () -> timer.cancel(false);
      } catch (RejectedExecutionException e) {
        return () -> {};
      }
    };
  }

  /** Logs once what {@code call} waits for if its result is late. @return {@code result} */
  public static <T> Future<T> logged(EventLoop loop, Logger log, String call, Supplier<String> awaited, Future<T> result) {
    if (!result.isComplete()) {
      LongWait wait = new LongWait(timer(loop), log::info, call, awaited);
      result.onComplete(done -> wait.end());
    }
    return result;
  }

  public static RdmaException closed() {
    return new RdmaException(Reason.CLOSED, "cannot run the call: its event loop has ended, since its Vert.x was closed");
  }

  public static Throwable cause(Throwable failure) {
    return failure instanceof RejectedExecutionException ? closed() : failure;
  }

  /**
   * Returns a future that completes with the result on the caller's context. It never completes if that context's event loop has ended.
   */
  public static <T> Future<T> result(ContextInternal caller, Future<T> result) {
    return isClosed(caller.owner()) ? result : caller.future(promise -> result.onComplete(new GuardedPromise<>(promise)));
  }

  public static <T> Promise<T> promise(VertxInternal vertx) {
    ContextInternal caller = vertx.getContext();
    return caller != null ? promise(caller)
      : isClosed(vertx) ? Promise.promise() : new GuardedPromise<>(vertx.getOrCreateContext().promise());
  }

  public static <T> Promise<T> promise(ContextInternal caller) {
    return guarded(caller, caller.promise());
  }

  public static boolean execute(Context caller, Runnable task) {
    return attempt(Context::runOnContext, caller, v -> task.run());
  }

  /** Runs a handler immediately on the context's thread, otherwise later. */
  public static <T> boolean emit(ContextInternal caller, T event, Handler<T> handler) {
    try {
      caller.emit(event, handler);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Returns whether Vert.x has closed. Only without a context, because {@code isClosed} takes a lock that all event loops share. */
  private static boolean isClosed(VertxInternal vertx) {
    return vertx.getContext() == null && vertx.closeFuture().isClosed();
  }

  private static <T> Promise<T> guarded(ContextInternal caller, Promise<T> promise) {
    return caller.isEventLoopContext() ? promise : new GuardedPromise<>(promise);
  }

  /** Ignores the result if the context of the promise has ended. */
  private record GuardedPromise<T>(Promise<T> promise) implements Promise<T> {

    @Override
    public boolean tryComplete(T result) {
      return complete(Promise::tryComplete, promise, result);
    }

    @Override
    public boolean tryFail(Throwable cause) {
      return complete(Promise::tryFail, promise, cause);
    }

    @Override
    public Future<T> future() {
      return promise.future();
    }

    private static <P, V> boolean complete(BiPredicate<P, V> method, P promise, V value) {
      try {
        return method.test(promise, value);
      } catch (RejectedExecutionException e) {
        return true;
      }
    }
  }
}
