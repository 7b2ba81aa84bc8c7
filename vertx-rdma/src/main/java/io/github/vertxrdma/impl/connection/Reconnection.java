package io.github.vertxrdma.impl.connection;

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

/** Connects as the options of a connection say: again where that fails, and anew for a connection that is over. Thread-safe. */
public final class Reconnection {
  /** Failures that waiting does not change. */
  private static final Set<Reason> SETTLED = EnumSet.of(Reason.REJECTED, Reason.NOT_AUTHENTIC, Reason.CLOSED, Reason.UNSUPPORTED);

  private final ContextInternal context;
  private final int attempts;
  private final Duration interval;
  private final Opened opened;
  private final Supplier<Future<RdmaConnectionImpl>> once;

  /**
   * @param opened what ends it when it is closed
   * @param once looks for the peer and connects, one time
   */
  public Reconnection(ContextInternal context, RdmaConnectOptions options, Opened opened, Supplier<Future<RdmaConnectionImpl>> once) {
    this.context = context;
    this.attempts = options.getReconnectAttempts();
    this.interval = options.getReconnectInterval();
    this.opened = opened;
    this.once = once;
  }

  /** Makes the first connection. @return completes on any thread */
  public Future<RdmaConnection> connect() {
    Promise<RdmaConnection> promise = Promise.promise();
    attempt(attempts, () -> true, promise);
    return promise.future();
  }

  /**
   * Makes another connection: at once, unless the last one was over so soon that an endless chain of them would keep both ends busy.
   *
   * @param livedMillis of the last connection
   * @param wanted asked before each attempt
   */
  Future<RdmaConnection> anew(long livedMillis, BooleanSupplier wanted) {
    Promise<RdmaConnection> promise = context.promise();
    if (livedMillis < interval.toMillis()) {
      later(attempts, wanted, promise);
    } else {
      attempt(attempts, wanted, promise);
    }
    return promise.future();
  }

  /** Attempts it after the interval, or fails at once when what waits for it is closed meanwhile. */
  private void later(int more, BooleanSupplier wanted, Promise<RdmaConnection> promise) {
    AtomicBoolean over = new AtomicBoolean();
    Runnable next = () -> {
      if (over.compareAndSet(false, true)) {
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

  /** @param more attempts if this one fails; negative for as many as it takes */
  private void attempt(int more, BooleanSupplier wanted, Promise<RdmaConnection> promise) {
    if (opened.isClosed() || !wanted.getAsBoolean()) {
      promise.fail(
        new RdmaException(Reason.CLOSED, "nobody waits any more for this connection: its Rdma or verticle has ended, or it was closed"));
      return;
    }
    once.get().onComplete((connection, cause) -> {
      if (cause == null) {
        connection.end.successor.madeBy(this);
        promise.complete(connection);
      } else if (more == 0 || isSettled(cause)) {
        promise.fail(cause);
      } else {
        later(more < 0 ? more : more - 1, wanted, promise);
      }
    });
  }

  private static boolean isSettled(Throwable cause) {
    return cause instanceof IllegalArgumentException || cause instanceof RdmaException e && SETTLED.contains(e.reason());
  }
}
