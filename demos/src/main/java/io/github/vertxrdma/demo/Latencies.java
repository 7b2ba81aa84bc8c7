package io.github.vertxrdma.demo;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Arrays;
import java.util.Locale;

/** Times of operations in nanoseconds. */
record Latencies(long... nanos) {
  private static final double MILLIS_FROM = 1e7;

  /** One of many operations. */
  interface Operation {
    /** @return completed when the operation is; fails if its result is wrong */
    Future<?> start(int number);
  }

  /** Makes operations one after the other on the event loop of a context, as a verticle does. */
  static Latencies of(Context context, int count, Operation operation) throws Exception {
    long[] nanos = new long[count];
    Promise<Void> done = Promise.promise();
    next(context, 0, nanos, operation, done);
    DemoNode.await(done.future());
    return new Latencies(nanos);
  }

  private static void next(Context context, int number, long[] nanos, Operation operation, Promise<Void> done) {
    if (number == nanos.length) {
      done.complete();
      return;
    }
    context.runOnContext(v -> {
      long start = System.nanoTime();
      operation.start(number).onFailure(done::tryFail).onSuccess(result -> {
        nanos[number] = System.nanoTime() - start;
        next(context, number + 1, nanos, operation, done);
      });
    });
  }

  String percentile(double percent) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    long there = sorted[(int) Math.max(0, Math.ceil(percent / 100 * sorted.length) - 1)];
    return there < MILLIS_FROM ? String.format(Locale.ROOT, "%.1f µs", there / 1e3) : String.format(Locale.ROOT, "%.1f ms", there / 1e6);
  }

  String perSecond() {
    return String.format(Locale.ROOT, "%.0f", nanos.length * 1e9 / Arrays.stream(nanos).sum());
  }

  /** Prints them beside others. @param one its name @param other that of the others */
  void print(String what, String one, Latencies others, String other) {
    line(what, one, other);
    line("  half of them within", percentile(50), others.percentile(50));
    line("  99 of 100 within", percentile(99), others.percentile(99));
    line("  per second", perSecond(), others.perSecond());
  }

  static void line(String what, Object one, Object other) {
    System.out.printf("%-40s %14s %14s%n", what, one, other);
  }
}
