package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.statistics.Latencies;
import java.util.ArrayList;
import java.util.List;

/** Histogram with eight linear buckets per power of two nanoseconds. One thread writes. A concurrent reader may miss the last value. */
public final class LatencyHistogram {
  private static final int SUB_BITS = 3;
  private static final int SUBS = 1 << SUB_BITS;
  /** Durations from 2^40 ns (18 minutes) on share a bucket. */
  private static final int TOP_BITS = 40;
  private static final int BUCKETS = (TOP_BITS - SUB_BITS + 1) << SUB_BITS;

  private final long[] counts = new long[BUCKETS];
  private long max;

  /** @param nanos duration; a negative one counts as 0 */
  public void record(long nanos) {
    counts[index(nanos)]++;
    if (nanos > max) {
      max = nanos;
    }
  }

  public void add(LatencyHistogram other) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += other.counts[i];
    }
    max = Math.max(max, other.max);
  }

  public Latencies latencies() {
    List<Latencies.Bucket> buckets = new ArrayList<>();
    long count = 0;
    for (int i = 0; i < BUCKETS; i++) {
      long n = counts[i];
      if (n > 0) {
        count += n;
        buckets.add(new Latencies.Bucket(upper(i), n));
      }
    }
    return new Latencies(count, max, buckets);
  }

  private static int index(long nanos) {
    long n = Math.min(Math.max(nanos, 0), (1L << TOP_BITS) - 1);
    if (n < SUBS) {
      return (int) n;
    }
    int shift = 63 - Long.numberOfLeadingZeros(n) - SUB_BITS;
    return (shift + 1 << SUB_BITS) + (int) (n >>> shift) - SUBS;
  }

  private static long upper(int index) {
    if (index < SUBS) {
      return index;
    }
    int shift = (index >> SUB_BITS) - 1;
    return ((index & SUBS - 1) + SUBS + 1L << shift) - 1;
  }
}
