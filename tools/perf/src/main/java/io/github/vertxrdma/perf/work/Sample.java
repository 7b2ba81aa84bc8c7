package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Figures of one run; NaN if not measured.
 *
 * @param p50 median duration of an operation in µs
 * @param messages mean number of operations per second
 * @param mebibytes MiB per second in one direction
 * @param cpu processor time of both processes per operation in µs
 */
public record Sample(double p50, double p90, double p99, double messages, double mebibytes, double cpu) {
  public static final Sample NONE = new Sample(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  /** @param histogram nanoseconds of each operation @param nanos duration of the run */
  public static Sample of(Histogram histogram, long nanos, int size) {
    double rate = histogram.getTotalCount() * 1e9 / nanos;
    return new Sample(histogram.getValueAtPercentile(50) / 1e3, histogram.getValueAtPercentile(90) / 1e3,
      histogram.getValueAtPercentile(99) / 1e3, rate, rate * size / (1 << 20), Double.NaN);
  }

  public static Sample of(long count, long nanos, int size) {
    double rate = count * 1e9 / nanos;
    return new Sample(Double.NaN, Double.NaN, Double.NaN, rate, rate * size / (1 << 20), Double.NaN);
  }

  public static Sample median(List<Sample> samples) {
    return new Sample(median(samples, Sample::p50), median(samples, Sample::p90), median(samples, Sample::p99),
      median(samples, Sample::messages), median(samples, Sample::mebibytes), median(samples, Sample::cpu));
  }

  private static double median(List<Sample> samples, Function<Sample, Double> of) {
    return median(samples.stream().map(of).toList());
  }

  public static double median(Collection<Double> figures) {
    List<Double> values = figures.stream().sorted().toList();
    int middle = values.size() / 2;
    return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
  }

  public Sample withCpu(double micros) {
    return new Sample(p50, p90, p99, messages, mebibytes, micros);
  }

  static Histogram histogram() {
    return new Histogram(60_000_000_000L, 3);
  }

  public JsonObject toJson() {
    return new JsonObject().put("p50", number(p50)).put("p90", number(p90)).put("p99", number(p99)).put("messages", messages)
      .put("mebibytes", mebibytes);
  }

  public static Sample of(JsonObject json) {
    return new Sample(number(json, "p50"), number(json, "p90"), number(json, "p99"), json.getDouble("messages"),
      json.getDouble("mebibytes"),
      Double.NaN);
  }

  private static Double number(double value) {
    return Double.isNaN(value) ? null : value;
  }

  private static double number(JsonObject json, String name) {
    Double value = json.getDouble(name);
    return value == null ? Double.NaN : value;
  }
}
