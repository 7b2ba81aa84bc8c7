package io.github.vertxrdma.impl.region;

import io.vertx.core.Handler;
import io.vertx.core.Promise;

/** Completes futures and runs handlers at once, on the thread of the call. */
public final class DirectCaller implements Caller {
  public static final Caller INSTANCE = new DirectCaller();

  private DirectCaller() {
  }

  @Override
  public <T> Promise<T> promise() {
    return Promise.promise();
  }

  @Override
  public <T> void emit(T event, Handler<T> handler) {
    handler.handle(event);
  }
}
