package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;

/** Handler of an event that occurs at most once. A handler set after the event is called immediately. Thread-safe. */
final class OnceHandler<T> {
  private final ContextInternal context;
  private Handler<T> handler;
  private T event;
  private boolean occurred;

  OnceHandler(ContextInternal context) {
    this.context = context;
  }

  void set(Handler<T> value) {
    boolean late;
    synchronized (this) {
      handler = value;
      late = occurred;
    }
    if (late && value != null) {
      LoopCall.emit(context, event, value);
    }
  }

  /** Called on the context. Ignores a repeated event. */
  void occur(T value) {
    Handler<T> current;
    synchronized (this) {
      current = occurred ? null : handler;
      event = value;
      occurred = true;
    }
    if (current != null) {
      context.dispatch(value, current);
    }
  }
}
