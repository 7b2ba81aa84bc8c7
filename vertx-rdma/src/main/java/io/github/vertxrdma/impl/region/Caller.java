package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;

/** Completes futures and runs handlers on the context of the application. Thread-safe. */
public interface Caller {

  static Caller of(ContextInternal context) {
    return new Caller() {
      @Override
      public <T> Promise<T> promise() {
        return LoopCall.promise(context.owner());
      }

      @Override
      public <T> void emit(T event, Handler<T> handler) {
        LoopCall.emit(context, event, handler);
      }
    };
  }

  <T> Promise<T> promise();

  <T> void emit(T event, Handler<T> handler);
}
