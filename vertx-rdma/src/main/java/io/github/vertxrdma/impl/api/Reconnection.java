package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.github.vertxrdma.impl.region.Successor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Connects, or opens a region, with the reconnect options. Retries failed attempts, and replaces a closed connection or region.
 * Thread-safe.
 *
 * @param made called with each new connection or region before the application gets it
 * @param discard closes an unwanted connection or region
 */
record Reconnection<T>(ContextInternal context, int attempts, Duration interval, ClosingScope opened, Supplier<Future<T>> once,
  BiConsumer<T, Reconnection<T>> made, Consumer<T> discard) implements Successor.Reconnect<T> {
  /** Reasons that end the attempts. {@link #isClosedByPeer} is an exception. */
  private static final Set<Reason> FINAL = EnumSet.of(Reason.REJECTED, Reason.NOT_AUTHENTIC, Reason.CLOSED, Reason.UNSUPPORTED);

  public Future<T> connect() {
    Promise<T> promise = Promise.promise();
    attempt(attempts, () -> true, promise);
    return promise.future();
  }

  @Override
  public Future<T> reconnect(long livedMillis, BooleanSupplier wanted) {
    Promise<T> promise = context.promise();
    if (livedMillis < interval.toMillis()) {
      retryLater(attempts, wanted, promise);
    } else {
      attempt(attempts, wanted, promise);
    }
    return promise.future();
  }

  private void retryLater(int more, BooleanSupplier wanted, Promise<T> promise) {
    Runnable forget = opened.add(() -> {
      promise.tryFail(cancelled());
      return Future.succeededFuture();
    });
    try {
      context.setTimer(interval.toMillis(), id -> {
        forget.run();
        attempt(more, wanted, promise);
      });
    } catch (OutOfMemoryError e) {
      // The thread of the event loop cannot be started.
      forget.run();
      promise.tryFail(ThreadLimit.named(e));
    }
  }

  private void attempt(int more, BooleanSupplier wanted, Promise<T> promise) {
    if (isCancelled(wanted)) {
      promise.tryFail(cancelled());
      return;
    }
    once.get().onComplete((result, cause) -> {
      if (cause == null && isCancelled(wanted)) {
        discard.accept(result);
        promise.fail(cancelled());
      } else if (cause == null) {
        made.accept(result, this);
        promise.complete(result);
      } else if (more == 0 || isFinal(cause) && !isClosedByPeer(cause)) {
        promise.fail(cause);
      } else {
        retryLater(more < 0 ? more : more - 1, wanted, promise);
      }
    });
  }

  private boolean isClosedByPeer(Throwable cause) {
    return cause instanceof RdmaException e && e.reason() == Reason.CLOSED && !opened.isClosed();
  }

  private boolean isCancelled(BooleanSupplier wanted) {
    return opened.isClosed() || !wanted.getAsBoolean();
  }

  private static RdmaException cancelled() {
    return new RdmaException(Reason.CLOSED, "cannot connect: the Rdma, the verticle, the connection or the region was closed");
  }

  public static boolean isFinal(Throwable cause) {
    return cause instanceof IllegalArgumentException || cause instanceof RdmaException e && FINAL.contains(e.reason());
  }
}
