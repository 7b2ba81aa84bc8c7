package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Requests over the event bus while other work comes and goes, with pinned processes of one event loop and with plain ones, with wake-ups
 * as they are and slower: whether our median stays where it is from run to run, and is never above that of TCP.
 */
final class Policy {
  /** Numbers of processes of other work. */
  static final List<Integer> BUSY = List.of(0, 2, 4);
  private static final int DELAY = 100;
  private static final double MOST_SPREAD = 1.5;
  private static final String LINE = "%-5s %-9s %10s %5s  %9s %9s %7s %9s %7s %10s%n";

  /** A row: our medians in order of size, and the medians over the runs of the ratios to TCP. */
  record Steadiness(String fabric, Surroundings around, int busy, double least, double most, double tcp, double ratio, double ratio99) {
    double spread() {
      return most / least;
    }

    boolean isKept() {
      return spread() <= MOST_SPREAD && ratio >= 1;
    }

    String name() {
      return fabric + ", " + around + ", " + busy + " busy";
    }

    private JsonObject toJson() {
      return new JsonObject().put("mode", "policy").put("fabric", fabric).put("pinned", around.pinned())
        .put("wake_delay_us", around.wakeDelay())
        .put("busy", busy).put("p50_least_us", least).put("p50_most_us", most).put("spread", spread()).put("peer_p50_us", tcp)
        .put("ratio", ratio).put("p99_ratio", ratio99);
    }
  }

  private final PerfArguments arguments;
  private final Lines lines;
  private final PrintStream out;
  private final Progress progress = new Progress();

  Policy(PerfArguments arguments, PrintStream out) {
    this.arguments = arguments;
    this.lines = new Lines(arguments.form(), out);
    this.out = out;
  }

  /** @param wakeDelay microseconds in those with slower wake-ups; 0 for what is usual */
  static List<Surroundings> cases(int wakeDelay) {
    int delay = wakeDelay == 0 ? DELAY : wakeDelay;
    return List.of(new Surroundings(true, 1, 0), new Surroundings(true, 1, delay), new Surroundings(false, 0, 0),
      new Surroundings(false, 0, delay));
  }

  /** Measures each case beside so many busy processes, and ends with the rows that break what is promised. */
  List<Steadiness> run(List<Surroundings> cases, List<Integer> busy) throws Exception {
    if (lines.areForPeople()) {
      out.println("# " + Machine.name());
      out.println("# bus requests, lowest and highest p50 of " + arguments.runs() + " runs; ratios to TCP above 1 say that we are better");
      out.printf(LINE, "over", "placed", "wake-ups", "busy", "least µs", "most µs", "spread", "tcp µs", "ratio", "p99 ratio");
    }
    List<Steadiness> rows = new ArrayList<>();
    for (Surroundings around : cases) {
      rows.addAll(measure(around, busy));
    }
    if (lines.areForPeople()) {
      List<Steadiness> broken = rows.stream().filter(row -> !row.isKept()).toList();
      out.println(
        broken.isEmpty() ? "all rows spread by 1.5 at most, and none is slower than TCP" : "rows that spread by more than 1.5, or are"
          + " slower than TCP:");
      broken.forEach(row -> out.printf(Locale.ROOT, "  %s: spread %.2f, ratio %.2f%n", row.name(), row.spread(), row.ratio()));
    }
    return rows;
  }

  private List<Steadiness> measure(Surroundings around, List<Integer> counts) throws Exception {
    List<Steadiness> rows = new ArrayList<>();
    List<Contender> contenders = new ArrayList<>();
    PerfArguments here = bus().in(around);
    try {
      for (String fabric : arguments.fabrics()) {
        contenders.add(Contenders.ours(here, fabric));
      }
      contenders.add(Contenders.peer("tcp", here, "tcp"));
      for (int count : counts) {
        try (BusyProcesses busy = new BusyProcesses(count)) {
          // A pair that has just got neighbours, or lost them, settles first.
          race(1, around + ", " + count + " busy, before").run(contenders, arguments.sizes().getFirst());
          List<List<Sample>> samples = race(arguments.runs(), around + ", " + count + " busy").run(contenders,
            arguments.sizes().getFirst());
          progress.clear();
          for (int i = 0; i < arguments.fabrics().size(); i++) {
            rows.add(print(row(arguments.fabrics().get(i), around, count, samples.get(i), samples.getLast())));
          }
        }
      }
    } finally {
      progress.clear();
      contenders.forEach(Contender::close);
    }
    return rows;
  }

  private PerfArguments bus() {
    List<String> words = new ArrayList<>(List.of("bus", "--poll", arguments.poll(), "--warm-up", Double.toString(arguments.warmUp())));
    arguments.options().forEach(option -> words.addAll(List.of("--option", option.getKey() + "=" + option.getValue())));
    return PerfArguments.parse(words);
  }

  private Race race(int runs, String what) {
    return new Race(runs, arguments.seconds(), text -> progress.accept(what + ": " + text));
  }

  static Steadiness row(String fabric, Surroundings around, int busy, List<Sample> ours, List<Sample> tcp) {
    List<Double> ratios = new ArrayList<>();
    List<Double> ratios99 = new ArrayList<>();
    for (int run = 0; run < ours.size(); run++) {
      ratios.add(tcp.get(run).p50() / ours.get(run).p50());
      ratios99.add(tcp.get(run).p99() / ours.get(run).p99());
    }
    return new Steadiness(fabric, around, busy, ours.stream().mapToDouble(Sample::p50).min().orElseThrow(),
      ours.stream().mapToDouble(Sample::p50).max().orElseThrow(), Race.median(tcp).p50(), Race.middle(ratios), Race.middle(ratios99));
  }

  private Steadiness print(Steadiness row) {
    if (!lines.areForPeople()) {
      lines.row(row.toJson());
    } else {
      int delay = row.around().wakeDelay();
      out.printf(LINE, row.fabric(), row.around().pinned() ? "pinned" : "anywhere", delay == 0 ? "as is" : "+" + delay + " µs", row.busy(),
        Table.text(row.least()), Table.text(row.most()), Table.text(row.spread()), Table.text(row.tcp()), Table.text(row.ratio()),
        Table.text(row.ratio99()));
    }
    return row;
  }
}
