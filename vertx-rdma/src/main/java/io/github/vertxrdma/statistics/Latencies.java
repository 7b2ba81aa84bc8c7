package io.github.vertxrdma.statistics;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Histogram of durations since the start. A bucket's upper bound is at most an eighth above its lower bound.
 *
 * @param maxNanos longest duration in nanoseconds, or 0
 * @param buckets non-empty buckets, shortest durations first
 */
public record Latencies(long count, long maxNanos, List<Bucket> buckets) {
  public static final Latencies NONE = new Latencies(0, 0, List.of());

  /** @param nanos upper bound in nanoseconds */
  public record Bucket(long nanos, long count) {
  }

  /**
   * Returns a percentile.
   *
   * @param percent 0 … 100
   * @return nanoseconds, at most an eighth above the true value; -1 if there are no durations
   */
  public long percentile(double percent) {
    if (count == 0) {
      return -1;
    }
    long wanted = Math.max(1, (long) Math.ceil(percent / 100 * count));
    long seen = 0;
    for (Bucket bucket : buckets) {
      seen += bucket.count;
      if (seen >= wanted) {
        return Math.min(bucket.nanos, maxNanos);
      }
    }
    return maxNanos;
  }

  /** Returns the durations added after an earlier snapshot. The result's {@link #maxNanos} may be up to an eighth above the longest. */
  public Latencies since(Latencies before) {
    Map<Long, Long> earlier = before.buckets.stream().collect(Collectors.toMap(Bucket::nanos, Bucket::count, Long::sum));
    List<Bucket> later = buckets.stream().map(bucket -> new Bucket(bucket.nanos, bucket.count - earlier.getOrDefault(bucket.nanos, 0L)))
      .filter(bucket -> bucket.count > 0).toList();
    return later.isEmpty() ? NONE
      : new Latencies(later.stream().mapToLong(Bucket::count).sum(), Math.min(maxNanos, later.getLast().nanos), later);
  }

  /** Returns the sum of both histograms. */
  public Latencies and(Latencies others) {
    if (count == 0 || others.count == 0) {
      return count == 0 ? others : this;
    }
    TreeMap<Long, Long> sum = new TreeMap<>();
    buckets.forEach(bucket -> sum.merge(bucket.nanos, bucket.count, Long::sum));
    others.buckets.forEach(bucket -> sum.merge(bucket.nanos, bucket.count, Long::sum));
    return new Latencies(count + others.count, Math.max(maxNanos, others.maxNanos),
      sum.entrySet().stream().map(each -> new Bucket(each.getKey(), each.getValue())).toList());
  }
}
