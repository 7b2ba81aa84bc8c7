package io.github.vertxrdma.impl.loop;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.RejectedExecutionException;

/**
 * Ways to tell a caller of a result: on the context of the call, as Vert.x does; a thread of others that calls while the Vert.x closes is
 * told without one, since nothing runs on a loop that is gone. A context whose worker pool ended with its verticle takes no task any more:
 * nobody is left to hear, and nobody else is harmed by that. Any thread.
 */
public final class Told {
  private Told() {
  }

  /** Tells of a result on a context of a call. */
  public static <T> Future<T> on(ContextInternal context, Future<T> result) {
    return isLeft(context.owner()) ? result : context.future(promise -> result.onComplete(heard(context, promise)));
  }

  /** Makes the promise of a call that is being made. */
  public static <T> Promise<T> promise(VertxInternal vertx) {
    if (isLeft(vertx)) {
      return Promise.promise();
    }
    return promise(vertx.getOrCreateContext());
  }

  /** The same, where the context of the call is known. */
  public static <T> Promise<T> promise(ContextInternal context) {
    return heard(context, context.promise());
  }

  /** Runs a task on a context. */
  public static void run(Context context, Runnable task) {
    try {
      context.runOnContext(v -> task.run());
    } catch (RejectedExecutionException e) {
      // Nobody is left to hear.
    }
  }

  /** Runs a handler on a context, at once where this is its thread. */
  public static <T> void emit(ContextInternal context, T event, Handler<T> handler) {
    try {
      context.emit(event, handler);
    } catch (RejectedExecutionException e) {
      // Nobody is left to hear.
    }
  }

  /** Only threads without a context ask whether the Vert.x is closed, which takes a lock that all event loops share. */
  private static boolean isLeft(VertxInternal vertx) {
    return vertx.getContext() == null && vertx.closeFuture().isClosed();
  }

  private static <T> Promise<T> heard(ContextInternal context, Promise<T> promise) {
    return context.isEventLoopContext() ? promise : new Heard<>(promise);
  }

  /** A promise whose context may be gone when it completes. */
  private record Heard<T>(Promise<T> promise) implements Promise<T> {

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
