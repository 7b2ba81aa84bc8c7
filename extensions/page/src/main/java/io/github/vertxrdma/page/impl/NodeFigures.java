package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** A node of the cluster, with its last two answers, for rates. Confined to the context of {@link Figures}. */
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

  /** Called when it is in the directory. */
  void entry(NodeEntry value) {
    if (entry != null && entry.epoch() != value.epoch()) {
      now = null;
      before = null;
    }
    entry = value;
    gone = false;
  }

  /** Called when it is no longer in the directory. */
  void gone(long nanos) {
    gone = true;
    goneSince = nanos;
    before = null;
  }

  boolean isGone() {
    return gone;
  }

  /** @return -1 if it is in the directory */
  long goneNanos(long nanos) {
    return gone ? nanos - goneSince : -1;
  }

  /** Asks for its statistics, unless the last answer is still missing. @return never fails */
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

  /** Returns whether figures that are written once a period were read twice in one; the third time they are outdated. */
  private boolean isReadAgain(NodeStatistics statistics) {
    readAgain = !readAgain && now != null && now.nodeId().equals(statistics.nodeId()) && now.timeMillis() == statistics.timeMillis();
    return readAgain;
  }

  /** Returns its last figures, or null if there were none. */
  NodeStatistics now() {
    return now;
  }

  /** Returns why the last request failed; empty if it did not. */
  String failure() {
    return failure;
  }

  /** Returns the age of {@link #now}. */
  long ageMillis() {
    return now == null ? -1 : (System.nanoTime() - heardNanos) / 1_000_000;
  }

  /** Returns whether its figures are current. */
  boolean isUp() {
    return !gone && failure.isEmpty() && now != null;
  }

  /** Returns the rate of a counter of its devices, per second between its last two answers; 0 without two. */
  double rate(ToLongFunction<DeviceStatistics> counter) {
    return perSecond(sum(now, counter) - sum(before, counter));
  }

  /** Returns a difference of its last two answers, per second. */
  double perSecond(long difference) {
    long millis = before == null || now == null || gone ? 0 : now.timeMillis() - before.timeMillis();
    return millis <= 0 ? 0 : Math.max(0, difference) * MILLIS / millis;
  }

  private static long sum(NodeStatistics node, ToLongFunction<DeviceStatistics> counter) {
    return node == null ? 0 : node.devices().stream().mapToLong(counter).sum();
  }

  /** Returns the earlier figures of a device; null if it was not in use, or there is no earlier answer. */
  DeviceStatistics before(DeviceStatistics device) {
    return before == null ? null : before.same(device).orElse(null);
  }

  /** Returns latencies of operations between its last two answers. */
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
