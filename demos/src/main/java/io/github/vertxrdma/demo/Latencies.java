package io.github.vertxrdma.demo;

import java.util.Arrays;
import java.util.Locale;

/** Times of operations in nanoseconds. */
record Latencies(long... nanos) {
  private static final double MILLIS_FROM = 1e7;

  /** One of many operations. */
  interface Operation {
    void run(int number) throws Exception;
  }

  /** Makes operations one after the other. */
  static Latencies of(int count, Operation operation) throws Exception {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      operation.run(i);
      nanos[i] = System.nanoTime() - start;
    }
    return new Latencies(nanos);
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
