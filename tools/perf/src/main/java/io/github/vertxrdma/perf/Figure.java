package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Figures by which programs are compared. Above 1, a ratio is better for vertx-rdma. */
enum Figure {
  MEAN("per s", Sample::messages, true), P50("p50 µs", Sample::p50, false), P90("p90 µs", Sample::p90, false),
  P99("p99 µs", Sample::p99, false),
  CPU("cpu µs", Sample::cpu, false);

  final String head;
  private final ToDoubleFunction<Sample> value;
  private final boolean moreIsBetter;

  Figure(String head, ToDoubleFunction<Sample> value, boolean moreIsBetter) {
    this.head = head;
    this.value = value;
    this.moreIsBetter = moreIsBetter;
  }

  double of(Sample sample) {
    return value.applyAsDouble(sample);
  }

  /** Returns the ratio of two samples; NaN if one was not measured. */
  double ratio(Sample ours, Sample peerSample) {
    return moreIsBetter ? of(ours) / of(peerSample) : of(peerSample) / of(ours);
  }

  static String text(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }
}
