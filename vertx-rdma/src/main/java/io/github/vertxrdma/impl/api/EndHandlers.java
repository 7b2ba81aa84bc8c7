package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.region.Successor;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import java.time.Duration;

/** Shutdown, exception and close handlers. The latter two are called immediately if set after their event. Thread-safe. */
final class EndHandlers {
  final Successor<RdmaConnection> successor;
  final ContextInternal context;
  private Handler<Throwable> exceptionHandler;
  private Handler<Void> closeHandler;
  private Handler<Duration> shutdownHandler;
  private boolean shuttingDown;
  private boolean closed;
  private Throwable failure;

  EndHandlers(ContextInternal context) {
    this.context = context;
    this.successor = new Successor<>(context, RdmaConnection::shutdown);
  }

  synchronized boolean hasShutdownHandler() {
    return shutdownHandler != null;
  }

  /**
   * Calls the shutdown handler on the context, unless it was called before or the connection has closed.
   *
   * @return completes on the context with the time that is left
   */
  Future<Duration> runShutdownHandler(Duration timeout) {
    long start = System.nanoTime();
    PromiseInternal<Duration> done = context.promise();
    boolean runs = LoopCall.emit(context, done, promise -> {
      callShutdownHandler(left(timeout, start));
      promise.complete(left(timeout, start));
    });
    return runs ? done.future() : Future.succeededFuture(timeout);
  }

  private static Duration left(Duration timeout, long start) {
    Duration left = timeout.minusNanos(System.nanoTime() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private void callShutdownHandler(Duration left) {
    Handler<Duration> first;
    synchronized (this) {
      first = shuttingDown || closed ? null : shutdownHandler;
      shuttingDown = true;
    }
    if (first != null) {
      context.dispatch(left, first);
    }
  }

  void closed(Throwable cause) {
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
    successor.closed();
  }

  synchronized void shutdownHandler(Handler<Duration> value) {
    shutdownHandler = value;
  }

  void exceptionHandler(Handler<Throwable> value) {
    Throwable earlier;
    synchronized (this) {
      exceptionHandler = value;
      earlier = closed ? failure : null;
    }
    successor.exceptionHandler(value);
    if (earlier != null && value != null) {
      LoopCall.emit(context, earlier, value);
    }
  }

  void closeHandler(Handler<Void> value) {
    boolean earlier;
    synchronized (this) {
      closeHandler = value;
      earlier = closed;
    }
    if (earlier && value != null) {
      LoopCall.emit(context, null, value);
    }
  }
}
