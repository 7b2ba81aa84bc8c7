package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.statistics.Latencies;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Durations are exact to an eighth. */
@Timeout(60)
class LatencyHistogramTest {
  @Test
  void percentilesAreRightToAnEighth() {
    LatencyHistogram histogram = new LatencyHistogram();
    Random random = new Random(1);
    long[] all = new long[10_000];
    for (int i = 0; i < all.length; i++) {
      all[i] = (long) Math.exp(random.nextDouble() * 25);
      histogram.record(all[i]);
    }
    Arrays.sort(all);
    Latencies found = histogram.latencies();
    assertEquals(all.length, found.count());
    assertEquals(all[all.length - 1], found.maxNanos());
    for (int percent : new int[] {0, 1, 50, 90, 99, 100}) {
      long exact = all[(int) Math.max(0, Math.ceil(percent / 100.0 * all.length) - 1)];
      long told = found.percentile(percent);
      assertTrue(told >= exact && told <= exact + exact / 8 + 1, percent + " %: " + told + " for " + exact);
    }
  }

  @Test
  void theSmallestAndTheLargestHaveTheirPlace() {
    LatencyHistogram histogram = new LatencyHistogram();
    for (long nanos : new long[] {-5, 0, 7, 8, 15, 16, Long.MAX_VALUE}) {
      histogram.record(nanos);
    }
    Latencies found = histogram.latencies();
    assertEquals(7, found.count());
    assertEquals(0, found.percentile(0));
    assertEquals(-1, Latencies.NONE.percentile(50));
    assertEquals(Long.MAX_VALUE, found.maxNanos());
  }

  @Test
  void laterLatenciesAreCountedSeparately() {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.record(100);
    histogram.record(5_000);
    Latencies before = histogram.latencies();
    histogram.record(100);
    histogram.record(1_000_000);
    Latencies later = histogram.latencies().since(before);
    assertEquals(2, later.count());
    assertTrue(later.percentile(50) >= 100 && later.percentile(50) < 115, later.toString());
    assertEquals(1_000_000, later.maxNanos());
    assertEquals(Latencies.NONE, before.since(before));
    assertEquals(4, before.and(later).count());
    assertEquals(histogram.latencies(), before.and(later));
  }
}
