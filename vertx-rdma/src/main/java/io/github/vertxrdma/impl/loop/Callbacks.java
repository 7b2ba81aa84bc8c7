package io.github.vertxrdma.impl.loop;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.RejectedExecutionException;

/**
 * Completes results on the context of the call. A caller without a context gets its result on another thread after the Vert.x has closed.
 * If the worker pool of a context has ended with its verticle, the result is dropped. Thread-safe.
 */
public final class Callbacks {
  private Callbacks() {
  }

  public static <T> Future<T> on(ContextInternal context, Future<T> result) {
    return isClosed(context.owner()) ? result : context.future(promise -> result.onComplete(guarded(context, promise)));
  }

  public static <T> Promise<T> promise(VertxInternal vertx) {
    if (isClosed(vertx)) {
      return Promise.promise();
    }
    return promise(vertx.getOrCreateContext());
  }

  public static <T> Promise<T> promise(ContextInternal context) {
    return guarded(context, context.promise());
  }

  public static void run(Context context, Runnable task) {
    try {
      context.runOnContext(v -> task.run());
    } catch (RejectedExecutionException e) {
      // The worker pool of the context has ended.
    }
  }

  /** Runs a handler on a context, at once if this is its thread. */
  public static <T> void emit(ContextInternal context, T event, Handler<T> handler) {
    try {
      context.emit(event, handler);
    } catch (RejectedExecutionException e) {
      // The worker pool of the context has ended.
    }
  }

  /** Checks the Vert.x only for callers without a context: that check takes a lock that all event loops share. */
  private static boolean isClosed(VertxInternal vertx) {
    return vertx.getContext() == null && vertx.closeFuture().isClosed();
  }

  private static <T> Promise<T> guarded(ContextInternal context, Promise<T> promise) {
    return context.isEventLoopContext() ? promise : new GuardedPromise<>(promise);
  }

  /** Promise whose context may have ended. */
  private record GuardedPromise<T>(Promise<T> promise) implements Promise<T> {

    @Override
    public boolean tryComplete(T result) {
      try {
        return promise.tryComplete(result);
      } catch (RejectedExecutionException e) {
        return true;
      }
    }

    @Override
    public boolean tryFail(Throwable cause) {
      try {
        return promise.tryFail(cause);
      } catch (RejectedExecutionException e) {
        return true;
      }
    }

    @Override
    public Future<T> future() {
      return promise.future();
    }
  }
}
