package io.github.vertxrdma.provider.contract;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

public final class Await {
  public static final long PATIENCE_MILLIS = 20_000;

  private Await() {
  }

  /**
   * Returns the maximum time to wait for a condition, in milliseconds: system property {@code vertx.rdma.test.patience}, by default {@link
   * #PATIENCE_MILLIS}.
   */
  public static long patienceMillis() {
    return Long.getLong("vertx.rdma.test.patience", PATIENCE_MILLIS);
  }

  /**
   * Waits for a condition.
   *
   * @param poll returns the number of found completions; the thread sleeps after many empty polls
   * @throws AssertionError after {@link #patienceMillis}
   */
  public static void until(String what, BooleanSupplier condition, java.util.function.IntSupplier poll, Supplier<String> state) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis());
    int empty = 0;
    while (!condition.getAsBoolean()) {
      if (poll.getAsInt() > 0) {
        empty = 0;
      } else if (++empty > 1000) {
        LockSupport.parkNanos(50_000);
      } else if (empty > 100) {
        Thread.yield();
      }
      if (empty > 0 && System.nanoTime() > deadline) {
        throw new AssertionError("waited " + patienceMillis() + " ms without success for: " + what + "; " + state.get());
      }
    }
  }

  public static void until(String what, BooleanSupplier condition) {
    until(what, condition, () -> 0, () -> "");
  }
}
