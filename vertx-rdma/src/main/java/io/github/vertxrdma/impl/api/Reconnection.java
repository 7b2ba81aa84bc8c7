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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Connects, or opens a region, with the reconnect options. Retries failed attempts, and replaces a closed connection or region.
 * Thread-safe.
 */
final class Reconnection<T> implements Successor.Reconnect<T> {
  private static final Set<Reason> SETTLED = EnumSet.of(Reason.REJECTED, Reason.NOT_AUTHENTIC, Reason.CLOSED, Reason.UNSUPPORTED);

  private final ContextInternal context;
  private final int attempts;
  private final Duration interval;
  private final ClosingScope opened;
  private final Supplier<Future<T>> once;
  private final BiConsumer<T, Reconnection<T>> made;
  private final Consumer<T> discard;

  /**
   * @param made called with each new connection or region before the application gets it
   * @param discard closes an unwanted connection or region
   */
  Reconnection(ContextInternal context, int attempts, Duration interval, ClosingScope opened, Supplier<Future<T>> once,
    BiConsumer<T, Reconnection<T>> made, Consumer<T> discard) {
    this.context = context;
    this.attempts = attempts;
    this.interval = interval;
    this.opened = opened;
    this.once = once;
    this.made = made;
    this.discard = discard;
  }

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
    try {
      context.setTimer(interval.toMillis(), id -> {
        opened.remove(closer);
        next.run();
      });
    } catch (OutOfMemoryError e) {
      // The thread of the event loop cannot be started.
      opened.remove(closer);
      promise.tryFail(ThreadLimit.named(e));
    }
  }

  private void attempt(int more, BooleanSupplier wanted, Promise<T> promise) {
    if (isOver(wanted)) {
      promise.fail(over());
      return;
    }
    once.get().onComplete((result, cause) -> {
      if (cause == null && isOver(wanted)) {
        discard.accept(result);
        promise.fail(over());
      } else if (cause == null) {
        made.accept(result, this);
        promise.complete(result);
      } else if (more == 0 || isSettled(cause) && !isClosedByPeer(cause)) {
        promise.fail(cause);
      } else {
        retryLater(more < 0 ? more : more - 1, wanted, promise);
      }
    });
  }

  private boolean isClosedByPeer(Throwable cause) {
    return cause instanceof RdmaException e && e.reason() == Reason.CLOSED && !opened.isClosed();
  }

  private boolean isOver(BooleanSupplier wanted) {
    return opened.isClosed() || !wanted.getAsBoolean();
  }

  private static RdmaException over() {
    return new RdmaException(Reason.CLOSED, "cannot connect: the Rdma, the verticle, the connection or the region was closed");
  }

  public static boolean isSettled(Throwable cause) {
    return cause instanceof IllegalArgumentException || cause instanceof RdmaException e && SETTLED.contains(e.reason());
  }
}
