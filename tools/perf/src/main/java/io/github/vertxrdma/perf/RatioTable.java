package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

final class RatioTable {
  private static final String LINE = "%-18s %-7s %8s %6s %6s  %-11s";

  private final PrintStream out;

  RatioTable(PrintStream out) {
    this.out = out;
  }

  void head() {
    out.printf(Locale.ROOT, LINE, "mode", "over", "bytes", "conns", "window", "");
    for (Figure figure : Figure.values()) {
      out.printf(" %10s", figure.head);
    }
    out.printf(" %9s%n", "MiB/s");
  }

  void row(Row row) {
    PerfArguments arguments = row.arguments();
    out.printf(Locale.ROOT, LINE, row.what(), row.fabric(), row.size(), arguments.connections(), arguments.window(), "ours");
    figures(figure -> figure.of(row.ours()), row.ours());
    if (row.peerSample() != null) {
      out.printf(LINE, "", "", "", "", "", row.peer());
      figures(figure -> figure.of(row.peerSample()), row.peerSample());
      out.printf(LINE, "", "", "", "", "", "ratio");
      figures(row::ratio, null);
    }
  }

  private void figures(ToDoubleFunction<Figure> value, Sample sample) {
    for (Figure figure : Figure.values()) {
      out.printf(" %10s", text(value.applyAsDouble(figure)));
    }
    out.printf(" %9s%n", sample == null ? "" : text(sample.mebibytes()));
  }

  static String text(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }
}
