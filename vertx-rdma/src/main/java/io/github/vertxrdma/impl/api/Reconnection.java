package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Connects by the options of a connection: retries failures, and replaces a connection that has closed. Thread-safe. */
final class Reconnection {
  /** Failures that a retry does not change. */
  private static final Set<Reason> SETTLED = EnumSet.of(Reason.REJECTED, Reason.NOT_AUTHENTIC, Reason.CLOSED, Reason.UNSUPPORTED);

  private final ContextInternal context;
  private final int attempts;
  private final Duration interval;
  private final ClosingScope opened;
  private final Supplier<Future<RdmaConnectionImpl>> once;

  /** @param opened ends retries when it closes @param once one attempt */
  public Reconnection(ContextInternal context, RdmaConnectOptions options, ClosingScope opened, Supplier<Future<RdmaConnectionImpl>> once) {
    this.context = context;
    this.attempts = options.getReconnectAttempts();
    this.interval = options.getReconnectInterval();
    this.opened = opened;
    this.once = once;
  }

  /** @return completes on any thread */
  public Future<RdmaConnection> connect() {
    Promise<RdmaConnection> promise = Promise.promise();
    attempt(attempts, () -> true, promise);
    return promise.future();
  }

  /** Replaces a connection: after the interval if it lived shorter, otherwise at once. @param wanted asked before each attempt */
  Future<RdmaConnection> reconnect(long livedMillis, BooleanSupplier wanted) {
    Promise<RdmaConnection> promise = context.promise();
    if (livedMillis < interval.toMillis()) {
      retryLater(attempts, wanted, promise);
    } else {
      attempt(attempts, wanted, promise);
    }
    return promise.future();
  }

  /** Retries after the interval. If the scope closes first, the attempt fails at once. */
  private void retryLater(int more, BooleanSupplier wanted, Promise<RdmaConnection> promise) {
    AtomicBoolean begun = new AtomicBoolean();
    Runnable next = () -> {
      if (begun.compareAndSet(false, true)) {
        attempt(more, wanted, promise);
      }
    };
    Supplier<Future<Void>> closer = () -> {
      next.run();
      return Future.succeededFuture();
    };
    opened.add(closer);
    context.setTimer(interval.toMillis(), id -> {
      opened.remove(closer);
      next.run();
    });
  }

  /** @param more further attempts; negative for no limit */
  private void attempt(int more, BooleanSupplier wanted, Promise<RdmaConnection> promise) {
    if (isOver(wanted)) {
      promise.fail(over());
      return;
    }
    once.get().onComplete((connection, cause) -> {
      if (cause == null && isOver(wanted)) {
        connection.close();
        promise.fail(over());
      } else if (cause == null) {
        connection.end.successor.madeBy(this);
        promise.complete(connection);
      } else if (more == 0 || isSettled(cause)) {
        promise.fail(cause);
      } else {
        retryLater(more < 0 ? more : more - 1, wanted, promise);
      }
    });
  }

  private boolean isOver(BooleanSupplier wanted) {
    return opened.isClosed() || !wanted.getAsBoolean();
  }

  private static RdmaException over() {
    return new RdmaException(Reason.CLOSED, "cannot connect: the Rdma, the verticle or the connection was closed");
  }

  /** Returns whether a retry, or another instance, does not change a failure. */
  public static boolean isSettled(Throwable cause) {
    return cause instanceof IllegalArgumentException || cause instanceof RdmaException e && SETTLED.contains(e.reason());
  }
}
