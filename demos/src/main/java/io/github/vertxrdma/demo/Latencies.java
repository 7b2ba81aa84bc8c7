package io.github.vertxrdma.demo;

import java.util.Arrays;
import java.util.Locale;

/** Times of operations that were made one after the other. */
final class Latencies {
  private final long[] nanos;
  private int count;

  Latencies(int count) {
    nanos = new long[count];
  }

  void add(long each) {
    nanos[count++] = each;
  }

  /** In µs. */
  String percentile(double percent) {
    long[] sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return String.format(Locale.ROOT, "%.1f µs", sorted[(int) Math.max(0, Math.ceil(percent / 100 * count) - 1)] / 1000.0);
  }

  String perSecond() {
    return String.format(Locale.ROOT, "%.0f", count * 1e9 / Arrays.stream(nanos, 0, count).sum());
  }
}
