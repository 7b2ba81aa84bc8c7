package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Perf;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Compares two builds of this library by processor time and garbage of a message and its echo, both ends on one event loop. Other work on
 * the machine does not count.
 */
final class Builds {
  private static final int RUNS = 30;
  private static final int ROUNDS = 5;
  private static final double SECONDS = 0.5;
  private static final long PATIENCE_SECONDS = 300;
  private static final String LINE = "%-16s %7s %6s %12s %12s %10s %10s %8s %17s %8s%n";

  record Cost(double nanos, double bytes) {
  }

  /** Geometric mean of the ratios of the other build to this build, with its 95 % confidence interval by Student's distribution. */
  record Interval(double mean, double low, double high) {
    static Interval of(List<Double> ratios) {
      double mean = ratios.stream().mapToDouble(Math::log).average().orElseThrow();
      double squares = ratios.stream().mapToDouble(ratio -> Math.pow(Math.log(ratio) - mean, 2)).sum();
      int freedom = ratios.size() - 1;
      double half = quantile(freedom) * Math.sqrt(squares / freedom / ratios.size());
      return new Interval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
    }

    /** Returns the 0.975 quantile of Student's distribution, from a table or by Cornish and Fisher's expansion. */
    private static double quantile(int freedom) {
      double[] few = {12.706, 4.303, 3.182, 2.776, 2.571};
      double z = 1.959964;
      return freedom <= few.length ? few[freedom - 1] : z + (Math.pow(z, 3) + z) / (4 * freedom)
        + (5 * Math.pow(z, 5) + 16 * Math.pow(z, 3) + 3 * z) / (96 * Math.pow(freedom, 2));
    }

    /** Returns whether this build uses no more: the upper bound is at least 1, and the interval is narrower than 0.05. */
    boolean isKept() {
      return high >= 1 && high - low < 0.05;
    }
  }

  private final Perf perf;
  private final PrintStream out;
  private final double seconds;
  private final Progress progress = new Progress();

  Builds(Perf perf, PrintStream out) {
    this.perf = perf;
    this.out = out;
    this.seconds = perf.seconds == null ? SECONDS : perf.seconds;
  }

  List<Interval> run() throws Exception {
    for (String entry : perf.before.split(File.pathSeparator)) {
      if (!Files.exists(Path.of(entry.replaceFirst("/\\*$", "")))) {
        throw new PerfException("cannot find " + entry + ", which --before names");
      }
    }
    List<Interval> intervals = new ArrayList<>();
    if (!perf.json) {
      out.println("# " + PairPlacement.machine());
      out.println("# processor time and garbage of a message and its echo, of the other build (before) and this one (now). Above 1, the "
        + "ratio is better for this build");
      out.printf(LINE, "over", "bytes", "turns", "before ns", "now ns", "before B", "now B", "ratio", "95 %", "kept");
    }
    for (String fabric : perf.fabrics) {
      for (int size : perf.sizes()) {
        intervals.add(row(fabric, size));
      }
    }
    return intervals;
  }

  /** @param fabric name of a fabric; if the other build has another name for it, followed by {@code =} and that name */
  private Interval row(String fabric, int size) throws Exception {
    String now = fabric.split("=")[0];
    String then = fabric.substring(fabric.indexOf('=') + 1);
    List<Cost> before = new ArrayList<>();
    List<Cost> after = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    int turns = perf.runs == null ? RUNS : perf.runs;
    for (int turn = 0; turn < turns; turn++) {
      progress.accept(now + ", " + size + " bytes: turn " + (turn + 1) + " of " + turns);
      for (int side = 0; side < 2; side++) {
        if ((turn + side) % 2 == 0) {
          before.add(cost(perf.before, then, size));
        } else {
          after.add(cost(System.getProperty("java.class.path"), now, size));
        }
      }
      ratios.add(before.getLast().nanos / after.getLast().nanos);
    }
    progress.clear();
    Interval interval = Interval.of(ratios);
    Cost old = median(before);
    Cost fresh = median(after);
    if (perf.json) {
      out
        .println(new JsonObject().put("mode", "builds").put("fabric", now).put("size", size).put("turns", turns).put("before_ns", old.nanos)
          .put("now_ns", fresh.nanos).put("before_garbage", old.bytes).put("now_garbage", fresh.bytes).put("ratio", interval.mean)
          .put("low", interval.low).put("high", interval.high).put("kept", interval.isKept()).encode());
    } else {
      out.printf(Locale.ROOT, LINE, now, size, turns, Figure.text(old.nanos), Figure.text(fresh.nanos), Figure.text(old.bytes),
        Figure.text(fresh.bytes),
        String.format(Locale.ROOT, "%.3f", interval.mean), String.format(Locale.ROOT, "%.3f to %.3f", interval.low, interval.high),
        interval.isKept() ? "yes" : "no");
    }
    return interval;
  }

  private static Cost median(List<Cost> costs) {
    return new Cost(median(costs, Cost::nanos), median(costs, Cost::bytes));
  }

  private static double median(List<Cost> costs, ToDoubleFunction<Cost> of) {
    return costs.stream().mapToDouble(of).sorted().toArray()[costs.size() / 2];
  }

  Cost cost(String classPath, String fabric, int size) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("rdma-builds");
    Path echo = folder.resolve("Echo.java");
    try (InputStream source = Builds.class.getResourceAsStream("Echo.java")) {
      Files.copy(source, echo);
      List<String> command = List.of(ChildProcess.JAVA, "--enable-native-access=ALL-UNNAMED",
        "-XX:+UseSerialGC", "-Xms256m", "-Xmx1g", "-XX:-UsePerfData", "-Dvertx.rdma.poll=busy", "-cp", classPath, echo.toString(),
        fabric, String.valueOf(size), millis(perf.warmUp), millis(seconds), String.valueOf(ROUNDS), folder.resolve("directory").toString());
      List<Cost> rounds = new ArrayList<>();
      try (ChildProcess process = new ChildProcess("the build of " + classPath, DeviceInUserSpace.command(fabric, command),
        line -> line.startsWith("round "))) {
        for (int round = 0; round < ROUNDS; round++) {
          String[] words = process.answer(PATIENCE_SECONDS).split(" ");
          rounds.add(new Cost(Double.parseDouble(words[1]), Double.parseDouble(words[2])));
        }
      }
      return median(rounds);
    } finally {
      ChildProcess.delete(folder);
    }
  }

  private static String millis(double seconds) {
    return String.valueOf(Math.round(seconds * 1000));
  }
}
