package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.impl.loop.Told;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * Handlers of a connection's end: each of those for an end that has happened hears of it, also one that is set later. The one for a
 * shutdown hears of the first that this side begins, before anything of it is done. Thread-safe.
 */
final class EndHandlers {
  /** The connection that follows. */
  final Successor successor;
  final ContextInternal context;
  private Handler<Throwable> exceptionHandler;
  private Handler<Void> closeHandler;
  private Handler<Duration> shutdownHandler;
  private boolean leaving;
  private boolean closed;
  private Throwable failure;

  EndHandlers(ContextInternal context) {
    this.context = context;
    this.successor = new Successor(this);
  }

  /** Tells whether a shutdown waits for a handler. */
  synchronized boolean isHeard() {
    return shutdownHandler != null;
  }

  /**
   * Has the shutdown's handler run on the context, the first time. Those who call it later, as a server and its {@code Rdma} do, wait for
   * the same handler.
   *
   * @param timeout for all of the shutdown
   * @return completes on the context with the time that is left for the peer
   */
  Future<Duration> leave(Duration timeout) {
    long start = System.nanoTime();
    PromiseInternal<Duration> told = context.promise();
    try {
      context.emit(told, promise -> {
        tell(left(timeout, start));
        promise.complete(left(timeout, start));
      });
    } catch (RejectedExecutionException e) {
      // It ended with its Vert.x: no handler runs there any more.
      return Future.succeededFuture(timeout);
    }
    return told.future();
  }

  private static Duration left(Duration timeout, long start) {
    Duration left = timeout.minusNanos(System.nanoTime() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private void tell(Duration left) {
    Handler<Duration> first;
    synchronized (this) {
      first = leaving || closed ? null : shutdownHandler;
      leaving = true;
    }
    if (first != null) {
      context.dispatch(left, first);
    }
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
    successor.over();
  }

  /** No other connection was made in place of the one that is over; on the context. */
  void failed(Throwable cause) {
    Handler<Throwable> onFailure;
    synchronized (this) {
      onFailure = exceptionHandler;
    }
    if (onFailure != null) {
      context.dispatch(cause, onFailure);
    }
  }

  synchronized void shutdownHandler(Handler<Duration> value) {
    shutdownHandler = value;
  }

  void exceptionHandler(Handler<Throwable> value) {
    Throwable happened;
    synchronized (this) {
      exceptionHandler = value;
      happened = closed ? failure : null;
    }
    if (happened != null && value != null) {
      Told.emit(context, happened, value);
    }
  }

  void closeHandler(Handler<Void> value) {
    boolean happened;
    synchronized (this) {
      closeHandler = value;
      happened = closed;
    }
    if (happened && value != null) {
      Told.emit(context, null, value);
    }
  }
}
