package io.github.vertxrdma.impl.connection;

import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;

/** Handlers of a connection's end: each hears of it, also one that is set when it has happened. Thread-safe. */
final class EndHandlers {
  private final ContextInternal context;
  private Handler<Throwable> exceptionHandler;
  private Handler<Void> closeHandler;
  private boolean closed;
  private Throwable failure;

  EndHandlers(ContextInternal context) {
    this.context = context;
  }

  /** On the context. @param cause null after an orderly end */
  void over(Throwable cause) {
    Handler<Throwable> onFailure;
    Handler<Void> onClose;
    synchronized (this) {
      closed = true;
      failure = cause;
      onFailure = exceptionHandler;
      onClose = closeHandler;
    }
    if (cause != null && onFailure != null) {
      context.dispatch(cause, onFailure);
    }
    if (onClose != null) {
      context.dispatch(null, onClose);
    }
  }

  void exceptionHandler(Handler<Throwable> value) {
    Throwable happened;
    synchronized (this) {
      exceptionHandler = value;
      happened = closed ? failure : null;
    }
    if (happened != null && value != null) {
      context.emit(happened, value);
    }
  }

  void closeHandler(Handler<Void> value) {
    boolean happened;
    synchronized (this) {
      closeHandler = value;
      happened = closed;
    }
    if (happened && value != null) {
      context.emit(null, value);
    }
  }
}
