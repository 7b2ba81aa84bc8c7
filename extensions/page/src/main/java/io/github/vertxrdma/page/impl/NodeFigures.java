package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** A node of the cluster: what it said last and before, for rates. Confined to the context of {@link Figures}. */
final class NodeFigures {
  private static final double MILLIS = 1e3;

  private NodeEntry entry;
  private NodeStatistics now;
  private NodeStatistics before;
  private String failure = "";
  private Future<?> asked = Future.succeededFuture();
  private long heardNanos;
  private boolean readAgain;
  private boolean gone;
  private long goneSince;

  NodeEntry entry() {
    return entry;
  }

  /** It is in the directory. */
  void entry(NodeEntry value) {
    if (entry != null && entry.epoch() != value.epoch()) {
      now = null;
      before = null;
    }
    entry = value;
    gone = false;
  }

  /** It is in the directory no more. */
  void gone(long nanos) {
    gone = true;
    goneSince = nanos;
    before = null;
  }

  boolean isGone() {
    return gone;
  }

  /** @return -1 if it is there */
  long goneNanos(long nanos) {
    return gone ? nanos - goneSince : -1;
  }

  /** Asks it, unless it still owes the last answer. @return never fails */
  Future<?> ask(FigureSource source) {
    if (asked.isComplete()) {
      asked = source.statistics(entry).onComplete((statistics, cause) -> {
        if (cause == null && isReadAgain(statistics)) {
          heardNanos = System.nanoTime();
          failure = "";
        } else if (cause == null) {
          before = now != null && now.nodeId().equals(statistics.nodeId()) && now.pid() == statistics.pid() ? now : null;
          now = statistics;
          heardNanos = System.nanoTime();
          failure = "";
        } else {
          before = null;
          failure = String.valueOf(cause.getMessage());
        }
      }).otherwiseEmpty();
    }
    return asked;
  }

  /** Whether figures that are written once a period were read twice in one; the third time they stand still. */
  private boolean isReadAgain(NodeStatistics statistics) {
    readAgain = !readAgain && now != null && now.nodeId().equals(statistics.nodeId()) && now.timeMillis() == statistics.timeMillis();
    return readAgain;
  }

  /** The last figures it gave; null if it never did. */
  NodeStatistics now() {
    return now;
  }

  /** Why it did not answer the last time; empty if it did. */
  String failure() {
    return failure;
  }

  /** The age of {@link #now}. */
  long ageMillis() {
    return now == null ? -1 : (System.nanoTime() - heardNanos) / 1_000_000;
  }

  /** Whether its figures are of now. */
  boolean isUp() {
    return !gone && failure.isEmpty() && now != null;
  }

  /** A counter of its devices, per second between its last two answers; 0 without two. */
  double rate(ToLongFunction<DeviceStatistics> counter) {
    return perSecond(sum(now, counter) - sum(before, counter));
  }

  /** A difference of its last two answers, per second. */
  double perSecond(long difference) {
    long millis = before == null || now == null || gone ? 0 : now.timeMillis() - before.timeMillis();
    return millis <= 0 ? 0 : Math.max(0, difference) * MILLIS / millis;
  }

  private static long sum(NodeStatistics node, ToLongFunction<DeviceStatistics> counter) {
    return node == null ? 0 : node.devices().stream().mapToLong(counter).sum();
  }

  /** The figures of a device before those; null if it was not in use, or there is nothing to compare with. */
  DeviceStatistics before(DeviceStatistics device) {
    return before == null ? null : before.same(device).orElse(null);
  }

  /** Times of those operations that ended between its last two answers. */
  Latencies latest(Function<DeviceStatistics, Latencies> which) {
    Latencies all = Latencies.NONE;
    if (before != null && isUp()) {
      for (DeviceStatistics device : now.devices()) {
        DeviceStatistics old = before(device);
        all = all.and(which.apply(device).since(old == null ? Latencies.NONE : which.apply(old)));
      }
    }
    return all;
  }
}
