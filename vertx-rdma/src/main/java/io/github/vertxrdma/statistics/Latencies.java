package io.github.vertxrdma.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * How long things took since the start, counted in buckets of which each is at most an eighth wider than its lower bound.
 *
 * @param count how many there were
 * @param maxNanos the longest, in nanoseconds; 0 if there was none
 * @param buckets those that something fell into, the shortest first
 */
public record Latencies(long count, long maxNanos, List<Bucket> buckets) {
  /** None. */
  public static final Latencies NONE = new Latencies(0, 0, List.of());

  /**
   * Some that took about as long.
   *
   * @param nanos none of them took longer, in nanoseconds
   * @param count how many
   */
  public record Bucket(long nanos, long count) {
  }

  public Latencies {
    buckets = buckets == null ? List.of() : List.copyOf(buckets);
  }

  /**
   * What so many of 100 did not exceed.
   *
   * @param percent 0 … 100
   * @return nanoseconds, up to an eighth too many; -1 if there was none
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

  /**
   * Those that came after an earlier look at the same.
   *
   * @return their {@link #maxNanos} is the bound of the last bucket, or the longest of all if that is less
   */
  public Latencies since(Latencies before) {
    List<Bucket> later = new ArrayList<>();
    int i = 0;
    for (Bucket bucket : buckets) {
      while (i < before.buckets.size() && before.buckets.get(i).nanos < bucket.nanos) {
        i++;
      }
      boolean same = i < before.buckets.size() && before.buckets.get(i).nanos == bucket.nanos;
      long more = bucket.count - (same ? before.buckets.get(i).count : 0);
      if (more > 0) {
        later.add(new Bucket(bucket.nanos, more));
      }
    }
    return later.isEmpty() ? NONE
      : new Latencies(later.stream().mapToLong(Bucket::count).sum(), Math.min(maxNanos, later.getLast().nanos), later);
  }

  /** These and others together. */
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
