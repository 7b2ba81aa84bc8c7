package io.github.vertxrdma.impl.loop;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;

/**
 * Ways to tell a caller of a result: on the context of the call, as Vert.x does; a thread of others that calls while the Vert.x closes is told without
 * one, since nothing runs on a loop that is gone.
 */
public final class Told {
  private Told() {
  }

  /** Tells of a result on a context of a call. */
  public static <T> Future<T> on(ContextInternal context, Future<T> result) {
    return isLeft(context.owner()) ? result : context.future(result::onComplete);
  }

  /** Makes the promise of a call that is being made. */
  public static <T> Promise<T> promise(VertxInternal vertx) {
    return isLeft(vertx) ? Promise.promise() : vertx.getOrCreateContext().promise();
  }

  /** Only threads without a context ask whether the Vert.x is closed, which takes a lock that all event loops share. */
  private static boolean isLeft(VertxInternal vertx) {
    return vertx.getContext() == null && vertx.closeFuture().isClosed();
  }
}
