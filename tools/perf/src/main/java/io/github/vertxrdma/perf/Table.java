package io.github.vertxrdma.perf;

import java.io.PrintStream;
import java.util.Locale;

/** Rows for people. */
final class Table {
  private static final String LINE = "%-14s %-5s %8s %5s %9s %9s %10s %9s %8s  %-12s %9s %9s %10s %9s %8s %7s%n";

  private final PrintStream out;

  Table(PrintStream out) {
    this.out = out;
  }

  void head() {
    out.printf(Locale.ROOT, LINE, "mode", "over", "bytes", "conns", "p50 µs", "p99 µs", "per s", "MiB/s", "cpu µs", "peer", "p50 µs",
      "p99 µs", "per s", "MiB/s", "cpu µs", "ratio");
  }

  void row(Row row) {
    boolean alone = row.theirs() == null;
    out.printf(Locale.ROOT, LINE, row.what(), row.fabric(), row.size(), row.connections(), text(row.ours().p50()),
      text(row.ours().p99()), text(row.ours().messages()), text(row.ours().mebibytes()), text(row.ours().cpu()),
      row.peer() == null ? "" : row.peer(), alone ? "" : text(row.theirs().p50()), alone ? "" : text(row.theirs().p99()),
      alone ? "" : text(row.theirs().messages()), alone ? "" : text(row.theirs().mebibytes()), alone ? "" : text(row.theirs().cpu()),
      alone ? "" : text(row.ratio()));
  }

  static String text(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, value >= 1000 ? "%.0f" : value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }
}
