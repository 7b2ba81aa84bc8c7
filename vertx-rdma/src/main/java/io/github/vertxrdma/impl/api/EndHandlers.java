package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.region.Successor;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import java.time.Duration;

/** Shutdown, exception and close handlers of a connection. Thread-safe. */
final class EndHandlers {
  final Successor<RdmaConnection> successor;
  final ContextInternal context;
  private final OnceHandler<Throwable> exceptionHandler;
  private final OnceHandler<Void> closeHandler;
  private Handler<Duration> shutdownHandler;
  /** True after the shutdown handler was called or the connection closed. */
  private boolean shuttingDown;

  EndHandlers(ContextInternal context) {
    this.context = context;
    this.exceptionHandler = new OnceHandler<>(context);
    this.closeHandler = new OnceHandler<>(context);
    this.successor = new Successor<>(context, RdmaConnection::shutdown);
  }

  synchronized boolean hasShutdownHandler() {
    return shutdownHandler != null;
  }

  /**
   * Calls the shutdown handler on the context, unless it was called before or the connection has closed.
   *
   * @return the remaining time; completes on the context
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
      first = shuttingDown ? null : shutdownHandler;
      shuttingDown = true;
    }
    if (first != null) {
      context.dispatch(left, first);
    }
  }

  void closed(Throwable cause) {
    synchronized (this) {
      shuttingDown = true;
    }
    if (cause != null) {
      exceptionHandler.occur(cause);
    }
    closeHandler.occur(null);
    successor.closed();
  }

  synchronized void shutdownHandler(Handler<Duration> value) {
    shutdownHandler = value;
  }

  void exceptionHandler(Handler<Throwable> value) {
    exceptionHandler.set(value);
    successor.exceptionHandler(value);
  }

  void closeHandler(Handler<Void> value) {
    closeHandler.set(value);
  }
}
