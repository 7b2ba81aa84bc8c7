package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** A node with its last two statistics, from which rates are computed. Confined to the context of {@link Figures}. */
final class NodeFigures {
  private static final double MILLIS = 1e3;

  private NodeEntry entry;
  private NodeStatistics now;
  private NodeStatistics before;
  private String failure = "";
  private Future<?> asked = Future.succeededFuture();
  private long answeredNanos;
  private boolean readAgain;
  private boolean gone;
  private long goneSince;

  NodeEntry entry() {
    return entry;
  }

  void entry(NodeEntry value) {
    if (entry != null && entry.epoch() != value.epoch()) {
      now = null;
      before = null;
    }
    entry = value;
    gone = false;
  }

  void gone(long nanos) {
    gone = true;
    goneSince = nanos;
    before = null;
  }

  boolean isGone() {
    return gone;
  }

  /** Returns the nanoseconds since the node left the directory; -1 if the directory lists the node. */
  long goneNanos(long nanos) {
    return gone ? nanos - goneSince : -1;
  }

  /** Requests statistics, unless an answer is outstanding. The future never fails. */
  Future<?> ask(FigureSource source) {
    if (asked.isComplete()) {
      asked = source.statistics(entry).onComplete((statistics, cause) -> {
        if (cause == null && isReadAgain(statistics)) {
          answeredNanos = System.nanoTime();
          failure = "";
        } else if (cause == null) {
          before = now != null && now.nodeId().equals(statistics.nodeId()) && now.pid() == statistics.pid() ? now : null;
          now = statistics;
          answeredNanos = System.nanoTime();
          failure = "";
        } else {
          before = null;
          failure = String.valueOf(cause.getMessage());
        }
      }).otherwiseEmpty();
    }
    return asked;
  }

  /** Returns whether the source returned the same statistics a second time, without newer ones. */
  private boolean isReadAgain(NodeStatistics statistics) {
    readAgain = !readAgain && now != null && now.nodeId().equals(statistics.nodeId()) && now.timeMillis() == statistics.timeMillis();
    return readAgain;
  }

  NodeStatistics now() {
    return now;
  }

  String failure() {
    return failure;
  }

  long ageMillis() {
    return now == null ? -1 : (System.nanoTime() - answeredNanos) / 1_000_000;
  }

  boolean isUp() {
    return !gone && failure.isEmpty() && now != null;
  }

  double rate(ToLongFunction<DeviceStatistics> counter) {
    return perSecond(sum(now, counter) - sum(before, counter));
  }

  double perSecond(long difference) {
    long millis = before == null || now == null || gone ? 0 : now.timeMillis() - before.timeMillis();
    return millis <= 0 ? 0 : Math.max(0, difference) * MILLIS / millis;
  }

  private static long sum(NodeStatistics node, ToLongFunction<DeviceStatistics> counter) {
    return node == null ? 0 : node.devices().stream().mapToLong(counter).sum();
  }

  /** Returns the previous statistics of a device; null if there are none. */
  DeviceStatistics before(DeviceStatistics device) {
    return before == null ? null : before.same(device).orElse(null);
  }

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
