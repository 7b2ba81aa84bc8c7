package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One result.
 *
 * @param ours medians of vertx-rdma's runs; with a peer, figures of the run with the median ratio
 * @param peer name of the peer; null without one
 * @param peerSample the peer's figures in the same run; null without a peer
 */
record Row(PerfArguments arguments, String fabric, int size, Sample ours, String peer, Sample peerSample) {
  private static final String LINE = "%-18s %-7s %8s %6s %6s  %-11s";

  Mode mode() {
    return arguments.mode();
  }

  /** Returns the main ratio: of operations per second, or with {@code --every} of median times. */
  double ratio() {
    return ratio(arguments.every() > 0 ? Figure.P50 : Figure.MEAN);
  }

  double ratio(Figure figure) {
    return peerSample == null ? Double.NaN : figure.ratio(ours, peerSample);
  }

  String what() {
    if (arguments.worker() != null) {
      return arguments.worker() + " " + arguments.kind();
    }
    String what = Stream.concat(Stream.of(arguments.words()), arguments.messageOptions().stream()).collect(Collectors.joining(" "));
    return what.replace("zeroCopy", "zero-copy") + (arguments.every() > 0 ? " every " + arguments.every() + " ms" : "");
  }

  static void printHead(PrintStream out) {
    out.printf(Locale.ROOT, LINE, "mode", "over", "bytes", "conns", "window", "");
    for (Figure figure : Figure.values()) {
      out.printf(" %10s", figure.head);
    }
    out.printf(" %9s%n", "MiB/s");
  }

  void print(PrintStream out) {
    out.printf(Locale.ROOT, LINE, what(), fabric, size, arguments.connections(), arguments.window(), "ours");
    printFigures(out, figure -> figure.of(ours), ours);
    if (peerSample != null) {
      out.printf(LINE, "", "", "", "", "", peer);
      printFigures(out, figure -> figure.of(peerSample), peerSample);
      out.printf(LINE, "", "", "", "", "", "ratio");
      printFigures(out, this::ratio, null);
    }
  }

  private static void printFigures(PrintStream out, ToDoubleFunction<Figure> value, Sample sample) {
    for (Figure figure : Figure.values()) {
      out.printf(" %10s", Figure.text(value.applyAsDouble(figure)));
    }
    out.printf(" %9s%n", sample == null ? "" : Figure.text(sample.mebibytes()));
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("mode", mode().word());
    if (arguments.kind() != null) {
      json.put("kind", arguments.kind());
    }
    if (arguments.worker() != null) {
      json.put("worker", arguments.worker());
    }
    arguments.messageOptions().forEach(option -> json.put(option, true));
    if (arguments.placement().pinned()) {
      json.put("pinned", true);
    }
    if (arguments.placement().loops() > 0) {
      json.put("loops", arguments.placement().loops());
    }
    if (arguments.every() > 0) {
      json.put("every_ms", arguments.every());
    }
    json.put("fabric", fabric).put("size", size).put("connections", arguments.connections()).put("window", arguments.window());
    put(json, "", ours);
    json.put("peer", peer);
    put(json, "peer_", peerSample);
    json.put("ratio", number(ratio()));
    for (Figure figure : Figure.values()) {
      json.put(figure.name().toLowerCase(Locale.ROOT) + "_ratio", number(ratio(figure)));
    }
    return json;
  }

  private static void put(JsonObject json, String prefix, Sample sample) {
    Sample values = sample == null ? Sample.NONE : sample;
    json.put(prefix + "p50_us", number(values.p50())).put(prefix + "p90_us", number(values.p90()))
      .put(prefix + "p99_us", number(values.p99())).put(prefix + "msgs_per_s", number(values.messages()))
      .put(prefix + "mib_per_s", number(values.mebibytes())).put(prefix + "cpu_us", number(values.cpu()));
  }

  /** Rounds to four significant digits; null if the value was not measured. */
  static Number number(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return null;
    }
    if (Math.abs(value) >= 1000) {
      return Math.round(value);
    }
    double unit = value == 0 ? 1 : Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
    return Math.round(value * unit) / unit;
  }
}
