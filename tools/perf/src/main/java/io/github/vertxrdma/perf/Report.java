package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.perf.work.Sample;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Writes the measurements of all goals as a table between two comments of an AsciiDoc file. */
final class Report {
  private static final String BEGIN = "// figures";
  private static final String END = "// end of figures";
  private static final double TWIN = 1.3;

  private final String seconds;
  private final String runs;
  private final PrintStream out;
  private final List<String> lines = new ArrayList<>();

  private Report(Perf perf, PrintStream out) {
    this.seconds = perf.seconds == null ? "1" : perf.seconds.toString();
    this.runs = perf.runs == null ? "5" : perf.runs.toString();
    this.out = out;
  }

  static void run(Perf perf, PrintStream out) throws Exception {
    Path file = perf.report.toAbsolutePath();
    String text = Files.exists(file) ? Files.readString(file) : BEGIN + "\n" + END + "\n";
    if (!text.contains(BEGIN) || text.indexOf(END) < text.indexOf(BEGIN)) {
      throw new UsageException(file + " has no lines " + BEGIN + " and " + END + " to write between");
    }
    int from = text.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(file, text.substring(0, from) + "\n" + new Report(perf, out).measure() + text.substring(text.indexOf(END)));
    out.println("written to " + file);
  }

  private String measure() {
    long begin = System.nanoTime();
    Map<String, List<Row>> measured = new LinkedHashMap<>();
    List.of("[%header,cols=\"5,2,3,3,1,2,2,1,4\"]", "|===",
      "| operation | compared with | vertx-rdma | compared program | ratio | processor µs per operation, vertx-rdma · compared program "
        + "| goal | met | `./rdma perf`",
      "").forEach(this::add);
    for (Goal goal : Goal.ALL) {
      add(goal, measured.computeIfAbsent(goal.command(), this::measure));
    }
    add(twin("tcp", measured));
    add("|===");
    long minutes = Math.max(1, (System.nanoTime() - begin + 30_000_000_000L) / 60_000_000_000L);
    return PairPlacement.machine() + ".\nEach row shows, of " + runs + " interleaved runs of " + seconds
      + " s, the run whose ratio is the median. The ratio compares operations per second, or the figure that the goal names. Above 1,"
      + " vertx-rdma is better. Two rows with the same figures compare them with two goals. Measured in " + minutes
      + " min by `./rdma perf --report`.\n\n" + String.join("\n", lines) + "\n\n";
  }

  private void add(String line) {
    lines.add(line);
    out.println(line);
  }

  private List<Row> measure(String command) {
    // Options of the command override these times, because they follow.
    Perf perf = PerfArguments.command(Stream.concat(Stream.of("--seconds", seconds, "--runs", runs, "--warm-up", "4"),
      Stream.of(command.split(" "))).toList());
    try (BusyProcesses busy = new BusyProcesses(perf.busy);
      PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
      return PerfCommand.run(PerfArguments.of(perf, 5, 1), nowhere);
    } catch (UsageException e) {
      throw e;
    } catch (Exception e) {
      // A failure of one fabric or peer does not remove the others' rows.
      System.err.println("rdma perf: " + command + ": " + e.getMessage());
      return List.of();
    }
  }

  private void add(Goal goal, List<Row> measured) {
    List<Row> rows = measured.stream().filter(row -> goal.peer().equals(row.peer())).toList();
    String command = "`" + goal.command() + "`";
    if (rows.isEmpty()) {
      add(cells(goal.what(), goal.peer(), "not measured here", "", "", "", goal(goal), "", command));
    }
    for (Row row : rows) {
      Boolean met = goal.met(row);
      add(cells(goal.what() + (rows.size() > 1 ? ", " + row.size() + " B" : ""), goal.peer(), value(row, true), value(row, false),
        String.format(Locale.ROOT, "%.2f", row.ratio(goal.figure())), processor(row), goal(goal), met == null ? "" : met ? "yes" : "*no*",
        command));
    }
  }

  private static String processor(Row row) {
    return Double.isNaN(row.ours().cpu()) ? "" : Figure.text(row.ours().cpu()) + " · " + Figure.text(row.peerSample().cpu());
  }

  private static String twin(String fabric, Map<String, List<Row>> measured) {
    List<Row> rows = measured.values().stream().flatMap(List::stream)
      .filter(row -> row.mode() == Mode.LATENCY && row.fabric().equals(fabric)).toList();
    Row c = rows.stream().filter(row -> "c".equals(row.peer())).findFirst().orElse(null);
    Row own = rows.stream().filter(row -> "fi_pingpong".equals(row.peer())).findFirst().orElse(null);
    if (c == null || own == null) {
      return cells("the C program, 64 B there and back, libfabric's " + fabric, "fi_pingpong", "not measured here", "", "", "", "≥ 0.77",
        "", "");
    }
    // Each peer is compared with vertx-rdma's result of the same run.
    double ratio = own.ratio() / c.ratio();
    return cells("the C program, 64 B there and back, libfabric's " + fabric, "fi_pingpong", value(c, false), value(own, false),
      String.format(Locale.ROOT, "%.2f", ratio),
      "", "≥ 0.77", ratio >= 1 / TWIN ? "yes" : "*no*", "");
  }

  private static String goal(Goal goal) {
    if (goal.above() > 0) {
      return "at most " + (goal.above() >= 10_000 ? Math.round(goal.above() / 1000) + " ms" : number(goal.above()) + " µs") + " more";
    }
    String figure = switch (goal.figure()) {
      case MEAN -> "";
      case CPU -> "processor time ";
      default -> goal.figure().name().toLowerCase(Locale.ROOT) + " ";
    };
    return goal.least() == 0 ? "" : figure + "≥ " + number(goal.least());
  }

  private static String number(double value) {
    return value < 1 ? String.format(Locale.ROOT, "%.2f", value) : Figure.text(value).replace(".00", "").replaceAll("(\\.\\d)0$", "$1")
      .replace(".0", "");
  }

  private static String value(Row row, boolean ours) {
    Sample sample = ours ? row.ours() : row.peerSample();
    if (row.size() >= 1 << 20) {
      return Figure.text(sample.mebibytes()) + " MiB/s";
    }
    if (row.mode() == Mode.START) {
      return Figure.text(sample.p50() / 1000) + " ms";
    }
    return Figure.text(sample.messages()) + "/s" + (Double.isNaN(sample.p50()) ? ""
      : " (p50 " + Figure.text(sample.p50()) + (Double.isNaN(sample.p99()) ? "" : ", p99 " + Figure.text(sample.p99())) + " µs)");
  }

  private static String cells(String... cells) {
    return ("| " + String.join(" | ", cells)).replaceAll("\\|  (?=\\|)", "| ").stripTrailing();
  }
}
