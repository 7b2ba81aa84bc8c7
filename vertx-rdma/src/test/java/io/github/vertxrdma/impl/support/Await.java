package io.github.vertxrdma.impl.support;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

public final class Await {
  public static final int DEFAULT_PATIENCE_MILLIS = 20_000;
  /** Milliseconds that a condition may take. An emulated machine sets a system property. */
  public static final int PATIENCE_MILLIS = Integer.getInteger("vertx.rdma.test.patience", DEFAULT_PATIENCE_MILLIS);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);

  private Await() {
  }

  public static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
  }

  /** Returns the result of a call on a context of Vert.x. Only there is a handler set on a response before the body arrives. */
  public static <T> T awaitOnContext(Vertx vertx, Supplier<Future<T>> action) throws Exception {
    Promise<T> promise = Promise.promise();
    vertx.runOnContext(v -> action.get().onComplete(promise));
    return await(promise.future());
  }

  public static <T> T await(Future<T> future, T otherwise) {
    try {
      return await(future);
    } catch (Exception e) {
      return otherwise;
    }
  }

  /** @return milliseconds until the condition was true */
  public static long until(String what, BooleanSupplier condition) {
    return until(what, condition, TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
  }

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
