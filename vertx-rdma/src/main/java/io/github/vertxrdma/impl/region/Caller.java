package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.loop.Told;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;

/** Shell between regions and an application: completes the futures of its calls and runs its handlers where it wants them. Any thread. */
public interface Caller {

  /** An application without threads of its own: everything runs where it happens. */
  Caller DIRECT = new Caller() {
    @Override
    public <T> Promise<T> promise() {
      return Promise.promise();
    }

    @Override
    public <T> void emit(T event, Handler<T> handler) {
      handler.handle(event);
    }
  };

  /** An application of Vert.x: futures complete on the context that calls, handlers run on the given one. */
  static Caller of(ContextInternal context) {
    return new Caller() {
      @Override
      public <T> Promise<T> promise() {
        return Told.promise(context.owner());
      }

      @Override
      public <T> void emit(T event, Handler<T> handler) {
        Told.emit(context, event, handler);
      }
    };
  }

  /** Makes the promise of a call that is being made. */
  <T> Promise<T> promise();

  /** Runs a handler. */
  <T> void emit(T event, Handler<T> handler);
}
