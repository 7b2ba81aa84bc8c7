package io.github.vertxrdma.impl.support;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for conditions; two busy cores may take long. */
public final class Await {
  /** Two busy cores may take as long. */
  public static final int DEFAULT_PATIENCE_MILLIS = 20_000;
  /** The time that a condition may take: an emulated machine asks for more with a system property. */
  public static final int PATIENCE_MILLIS = Integer.getInteger("vertx.rdma.test.patience", DEFAULT_PATIENCE_MILLIS);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);

  private Await() {
  }

  /** The future's result. */
  public static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
  }

  /**
   * The result of what is done on a context of Vert.x, as verticles do it. Only there is it certain that a handler set on a response is
   * set before the response's body arrives.
   */
  public static <T> T awaitOnContext(Vertx vertx, Supplier<Future<T>> action) throws Exception {
    Promise<T> promise = Promise.promise();
    vertx.runOnContext(v -> action.get().onComplete(promise));
    return await(promise.future());
  }

  /** The future's result, or another value if it fails. */
  public static <T> T await(Future<T> future, T otherwise) {
    try {
      return await(future);
    } catch (Exception e) {
      return otherwise;
    }
  }

  /** Returns once the condition holds, with the milliseconds it took. */
  public static long until(String what, BooleanSupplier condition) {
    return until(what, condition, TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
  }

  /** The same with another patience, in milliseconds. */
  public static long until(String what, BooleanSupplier condition, long patienceMillis) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(patienceMillis)) {
        throw new AssertionError("waited in vain until " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }
}
