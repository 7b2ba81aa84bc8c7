package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Perf;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;

/**
 * The cost of a node and of its coming and going, in clusters of several sizes: each node a process that is a member of Hazelcast, in pairs
 * that talk to each other. The cluster grows from one size to the next; the last row tells how much each figure grows with one node more.
 */
final class Growth {
  private static final double SECONDS = 5;
  private static final int LOOKS = 3;
  /** Processes that start at a time: each keeps a processor busy for seconds, and Hazelcast gives up members that it does not hear of. */
  private static final int WAVE = 4;

  /** The figures of a row; times in milliseconds, until the last of the others knows. */
  enum Figure {
    HEAP("heap kB"),
    /** Milliseconds of a processor that an idle process takes in a second. */
    CPU("cpu ms/s"),
    /** The same process without a node of ours: Hazelcast and Vert.x alone. */
    OTHER_HEAP("without"),
    OTHER_CPU("without"),
    CONTROL("control"),
    /** Bytes of a node's entries in the directory. */
    ENTRY("entries B"),
    /** All nodes at the same time. */
    ALL("all ms"),
    JOIN("join ms"),
    JOIN_EVENTS("events"),
    LEAVE("leave ms"),
    LEAVE_EVENTS("events"),
    CRASH("crash ms"),
    CRASH_EVENTS("events"),
    /** The one that used it. */
    LOST("user ms"),
    /** From the start of the new process until it listens. */
    RESTART("start ms"),
    /** From there until an answer of it reached its user. */
    FLOWS("flows ms");

    final String head;

    Figure(String head) {
      this.head = head;
    }
  }

  private final Perf perf;
  private final PrintStream out;
  private final String fabric;
  private final double seconds;
  private final Progress progress = new Progress();
  private final List<ChildProcess> nodes = new ArrayList<>();
  private Map<Figure, Double> row;

  private Growth(Perf perf, String fabric, PrintStream out) {
    this.perf = perf;
    this.out = out;
    this.fabric = fabric;
    this.seconds = perf.seconds == null ? SECONDS : perf.seconds;
  }

  static void run(Perf perf, PrintStream out) throws Exception {
    Lines lines = new Lines(PerfArguments.Form.of(perf), out);
    if (lines.areForPeople()) {
      out.println("# " + Machine.name());
      out.println(
        "# of each node; times until the last of the others knows, events heard by each of them; then, how much each grows with a node"
          + " more");
    }
    for (String fabric : perf.fabrics) {
      new Growth(perf, fabric, out).rows(lines);
    }
  }

  private void rows(Lines lines) throws Exception {
    List<Integer> sizes = perf.nodes();
    Map<Integer, Map<Figure, Double>> rows = new TreeMap<>();
    if (lines.areForPeople()) {
      print("over", "nodes", Arrays.stream(Figure.values()).map(figure -> figure.head).toList());
    }
    try (GrowingCluster cluster = new GrowingCluster(fabric, sizes.getLast())) {
      for (int size : sizes) {
        row = new EnumMap<>(Figure.class);
        measure(cluster, size);
        rows.put(size, row);
        show(lines, String.valueOf(size), row);
      }
    } finally {
      progress.clear();
    }
    if (rows.size() > 1) {
      Map<Figure, Double> slopes = new EnumMap<>(Figure.class);
      for (Figure figure : Figure.values()) {
        slopes.put(figure, slope(rows, figure));
      }
      show(lines, "each", slopes);
    }
  }

  private void show(Lines lines, String size, Map<Figure, Double> figures) {
    if (lines.areForPeople()) {
      progress.clear();
      print(fabric, size, figures.values().stream().map(Growth::text).toList());
    } else {
      JsonObject object = new JsonObject().put("mode", "growth").put("fabric", fabric).put("nodes", size);
      figures.forEach((figure, value) -> object.put(figure.name().toLowerCase(Locale.ROOT), Math.round(value * 1000) / 1000.0));
      lines.row(object);
    }
  }

  private void print(String over, String size, List<String> cells) {
    StringBuilder line = new StringBuilder(String.format("%-6s %5s", over, size));
    for (int i = 0; i < cells.size(); i++) {
      line.append(' ').append(String.format("%" + Math.max(6, Figure.values()[i].head.length()) + "s", cells.get(i)));
    }
    out.println(line);
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : Math.abs(value) >= 10 ? "%.1f" : "%.2f", value);
  }

  /** Growth with one node more, by least squares. */
  private static double slope(Map<Integer, Map<Figure, Double>> rows, Figure figure) {
    double x = rows.keySet().stream().mapToInt(size -> size).average().orElseThrow();
    double y = rows.values().stream().mapToDouble(each -> each.get(figure)).average().orElseThrow();
    double above = 0;
    double below = 0;
    for (Map.Entry<Integer, Map<Figure, Double>> each : rows.entrySet()) {
      above += (each.getKey() - x) * (each.getValue().get(figure) - y);
      below += (each.getKey() - x) * (each.getKey() - x);
    }
    return above / below;
  }

  private void measure(GrowingCluster cluster, int size) throws Exception {
    say(size, "processes");
    while (nodes.size() < size) {
      List<ChildProcess> wave = new ArrayList<>();
      for (int first = nodes.size(); nodes.size() < Math.min(size, first + WAVE);) {
        wave.add(cluster.start(nodes.size()));
        nodes.add(wave.getLast());
      }
      for (ChildProcess node : wave) {
        node.awaitReady();
      }
    }
    say(size, "all open");
    double began = opened(all("open"));
    row.put(Figure.ALL, millis(began, last(all("know " + size))));
    for (int i = 0; i + 1 < size; i += 2) {
      nodes.get(i).ask("use " + (i + 1));
      nodes.get(i).ask("flows");
    }
    say(size, "idle");
    row.put(Figure.CPU, busy());
    List<JsonObject> looks = all("look");
    row.put(Figure.HEAP, average(all("heap"), "heap") / 1e3);
    row.put(Figure.CONTROL, average(looks, "control"));
    row.put(Figure.ENTRY, average(looks, "bytes") / size);

    say(size, "one leaves and joins");
    // The user of the last pair is the one before.
    int other = size / 2 * 2 - 1;
    all("forget");
    comesOrGoes(other, opened(List.of(nodes.get(other).ask("close"))), size - 1, Figure.LEAVE, Figure.LEAVE_EVENTS);
    all("forget");
    comesOrGoes(other, opened(List.of(nodes.get(other).ask("open"))), size, Figure.JOIN, Figure.JOIN_EVENTS);
    nodes.get(other - 1).ask("flows");

    say(size, "one is killed and started again");
    all("send true");
    all("forget");
    long killed = System.nanoTime();
    nodes.get(other).kill();
    row.put(Figure.LOST, millis(killed, nodes.get(other - 1).ask("lost").getLong("at")));
    comesOrGoes(other, killed, size - 1, Figure.CRASH, Figure.CRASH_EVENTS);
    long started = System.nanoTime();
    nodes.set(other, cluster.start(other));
    nodes.get(other).awaitReady();
    long listens = nodes.get(other).ask("open").getLong("at");
    row.put(Figure.RESTART, millis(started, listens));
    row.put(Figure.FLOWS, Math.max(0, millis(listens, nodes.get(other - 1).ask("flows").getLong("at"))));
    all("send false");
    all("know " + size);
    all("close");
    say(size, "idle, without nodes of ours");
    row.put(Figure.OTHER_CPU, busy());
    row.put(Figure.OTHER_HEAP, average(all("heap"), "heap") / 1e3);
  }

  /** Takes down the time and the events until the others know so many. */
  private void comesOrGoes(int number, double began, int count, Figure time, Figure events) throws Exception {
    List<ChildProcess> others = new ArrayList<>(nodes);
    others.remove(number);
    List<JsonObject> heard = GrowingCluster.ask(others, "know " + count);
    row.put(time, millis(began, last(heard)));
    row.put(events, average(heard, "events"));
  }

  private List<JsonObject> all(String command) throws Exception {
    return GrowingCluster.ask(nodes, command);
  }

  private static double opened(List<JsonObject> answers) {
    return answers.stream().mapToLong(answer -> answer.getLong("began")).min().orElseThrow();
  }

  private static double last(List<JsonObject> answers) {
    return answers.stream().mapToLong(answer -> answer.getLong("at")).max().orElseThrow();
  }

  private static double average(List<JsonObject> answers, String of) {
    ToDoubleFunction<JsonObject> value = answer -> answer.getDouble(of);
    return answers.stream().mapToDouble(value).average().orElseThrow();
  }

  private static double millis(double from, double to) {
    return (to - from) / 1e6;
  }

  /**
   * Milliseconds of a processor that a process takes in a second, on average; the least of some looks, since code is compiled for a while.
   */
  private double busy() {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < LOOKS; i++) {
      least = Math.min(least, look());
    }
    return least;
  }

  private double look() {
    Duration before = cpu();
    long begin = System.nanoTime();
    for (long end = begin + (long) (seconds * 1e9); System.nanoTime() < end;) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    return cpu().minus(before).toNanos() / 1e6 / nodes.size() / ((System.nanoTime() - begin) / 1e9);
  }

  private Duration cpu() {
    return nodes.stream().map(ChildProcess::cpu).reduce(Duration.ZERO, Duration::plus);
  }

  private void say(int size, String what) {
    progress.accept(fabric + ", " + size + " nodes: " + what);
  }
}
