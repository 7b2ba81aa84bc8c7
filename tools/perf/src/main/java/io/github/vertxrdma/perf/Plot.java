package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.work.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Results as a picture: a line for each contender where there are several sizes, else bars; both axes logarithmic. */
final class Plot {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 480;
  private static final int LEFT = 90;
  private static final int RIGHT = 190;
  private static final int TOP = 50;
  private static final int BOTTOM = 60;
  private static final String[] COLOURS = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

  private final List<Row> rows;
  private final boolean latency;
  private final boolean counted;
  private final Map<String, Map<Integer, Double>> lines = new LinkedHashMap<>();
  private final StringBuilder svg = new StringBuilder();
  private double low = Double.MAX_VALUE;
  private double high = Double.MIN_NORMAL;
  private List<Integer> sizes;

  Plot(List<Row> rows) {
    this.rows = rows;
    this.latency = rows.stream().allMatch(row -> row.arguments().every() > 0);
    this.counted = rows.stream().mapToInt(row -> row.arguments().connections()).distinct().count() > 1;
  }

  /** @param html as a page, else as SVG */
  String draw(boolean html) {
    boolean bytes = !latency && rows.stream().anyMatch(row -> row.mode() == Mode.BANDWIDTH);
    ToDoubleFunction<Sample> value = latency ? sample -> sample.p50()
      : bytes ? sample -> sample.mebibytes() : sample -> sample.messages();
    for (Row row : rows) {
      put(row, row.arguments().worker() == null ? "ours" : row.what(), value.applyAsDouble(row.ours()));
      if (row.theirs() != null) {
        put(row, row.peer(), value.applyAsDouble(row.theirs()));
      }
    }
    sizes = lines.values().stream().flatMap(line -> line.keySet().stream()).distinct().sorted().toList();
    low = Math.pow(10, Math.floor(Math.log10(low)));
    high = Math.pow(10, Math.ceil(Math.log10(high * 1.01)));
    svg.append(String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
      + "font-size=\"12\"><rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n", WIDTH, HEIGHT));
    String mode = rows.isEmpty() ? "" : rows.getFirst().mode().word();
    text(WIDTH / 2, 22, "middle", "./rdma perf " + mode + (latency ? ": median, µs (lower is better)" : bytes
      ? ": MiB/s (higher is better)" : ": operations per second (higher is better)"));
    text(WIDTH / 2, HEIGHT - 8, "middle",
      "bytes · " + (rows.isEmpty() ? Machine.name() : rows.getFirst().arguments().around().onThisMachine()));
    axes();
    int i = 0;
    for (Map.Entry<String, Map<Integer, Double>> line : lines.entrySet()) {
      line(line.getKey(), line.getValue(), i++);
    }
    svg.append("</svg>\n");
    return html ? "<!doctype html><meta charset=\"utf-8\"><title>./rdma perf " + mode + "</title>\n" + svg : svg.toString();
  }

  private void put(Row row, String who, double value) {
    if (!Double.isNaN(value) && value > 0) {
      lines
        .computeIfAbsent(who + " over " + row.fabric() + (counted ? " × " + row.arguments().connections() : ""),
          name -> new LinkedHashMap<>())
        .put(row.size(), value);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }

  private int x(int size) {
    int place = sizes.indexOf(size);
    return LEFT + (sizes.size() == 1 ? (WIDTH - LEFT - RIGHT) / 2 : place * (WIDTH - LEFT - RIGHT) / (sizes.size() - 1));
  }

  private int y(double value) {
    double share = (Math.log10(value) - Math.log10(low)) / Math.max(1e-9, Math.log10(high) - Math.log10(low));
    return (int) (HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM));
  }

  private void axes() {
    for (double value = low; value <= high * 1.001; value *= 10) {
      svg.append(String.format(Locale.ROOT, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#ccc\"/>%n", LEFT, y(value),
        WIDTH - RIGHT, y(value)));
      text(LEFT - 8, y(value) + 4, "end", value >= 1 ? String.format(Locale.ROOT, "%,.0f", value) : Double.toString(value));
    }
    for (int size : sizes) {
      text(x(size), HEIGHT - BOTTOM + 18, "middle", size >= 1 << 20 && size % (1 << 20) == 0 ? (size >> 20) + "m"
        : size >= 1024 && size % 1024 == 0 ? (size >> 10) + "k" : Integer.toString(size));
    }
  }

  private void line(String name, Map<Integer, Double> points, int index) {
    String colour = COLOURS[index % COLOURS.length];
    List<String> corners = new ArrayList<>();
    for (Map.Entry<Integer, Double> point : points.entrySet()) {
      // With one size there is no line: the points stand beside each other.
      int at = x(point.getKey()) + (sizes.size() == 1 ? (index - lines.size() / 2) * 40 : 0);
      corners.add(at + "," + y(point.getValue()));
      svg
        .append(String.format(Locale.ROOT, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"><title>%s, %d bytes: %s</title></circle>%n", at,
          y(point.getValue()), colour, name, point.getKey(), Table.text(point.getValue())));
      if (sizes.size() == 1) {
        text(at + 8, y(point.getValue()) + 4, "start", Table.text(point.getValue()));
      }
    }
    svg.append(String.format(Locale.ROOT, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
      String.join(" ", corners), colour));
    svg.append(String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>%n", WIDTH - RIGHT + 16,
      TOP + index * 20, colour));
    text(WIDTH - RIGHT + 34, TOP + index * 20 + 11, "start", name);
  }

  private void text(int x, int y, String anchor, String text) {
    svg.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n", x, y, anchor,
      text.replace("&", "&amp;").replace("<", "&lt;")));
  }
}
