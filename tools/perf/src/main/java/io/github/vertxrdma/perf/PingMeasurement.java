package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures echoes in each second after the start of two processes. Each second is a run of its own: tcp connects again in each. Excludes
 * the first 5 s, in which code is compiled, and seconds in which other virtual machines took much processor time.
 */
final class PingMeasurement {
  private static final int FIRST = 6;
  private static final String BUSY = "busy";
  private static final String LINE = "%-10s %-9s %8s %8s  %10s %7s  %10s %7s  %9s %9s %9s %9s%n";

  record Second(Sample sample, double stolen) {
    boolean counts() {
      return stolen <= OtherWork.MOST_STOLEN;
    }
  }

  record Outcome(String name, List<Second> seconds) {
    private List<Sample> counted() {
      return seconds.stream().filter(Second::counts).map(Second::sample).toList();
    }

    int leftOut() {
      return seconds.size() - counted().size();
    }

    Sample median() {
      return Sample.median(counted());
    }

    double fifthPercentile() {
      List<Double> rates = counted().stream().map(Sample::messages).sorted().toList();
      return rates.get((int) Math.ceil(rates.size() * 0.05) - 1);
    }
  }

  private final PerfArguments arguments;
  private final String fabric;
  private final PrintStream out;
  private final Progress progress = new Progress();

  private PingMeasurement(PerfArguments arguments, String fabric, PrintStream out) {
    this.arguments = arguments;
    this.fabric = fabric;
    this.out = out;
  }

  static void run(PerfArguments arguments, PrintStream out) throws Exception {
    if (!arguments.json()) {
      out.println("# " + arguments.placement().onThisMachine());
    }
    for (String fabric : arguments.fabrics()) {
      for (int size : arguments.sizes()) {
        new PingMeasurement(arguments, fabric, out).run(size);
      }
    }
  }

  private void run(int size) throws Exception {
    List<JvmContender> contenders = Contender.pairs(arguments.poll(), arguments, fabric);
    List<Outcome> outcomes = contenders.stream().map(each -> new Outcome(each.name(), new ArrayList<>())).toList();
    for (int start = 1; start <= arguments.runs(); start++) {
      for (int i = 0; i < contenders.size(); i++) {
        run(contenders.get(i), size, start, outcomes.get(i));
      }
    }
    progress.clear();
    report(outcomes, size);
  }

  private void run(JvmContender contender, int size, int start, Outcome outcome) throws Exception {
    String name = contender.name() + " over " + fabric + ", " + size + " bytes, start " + start + " of " + arguments.runs();
    if (!arguments.json()) {
      out.println(name);
    } else {
      progress.accept(name);
    }
    int count = (int) Math.max(1, arguments.seconds());
    try {
      contender.start();
      for (int number = 1; number <= count; number++) {
        Second second = new Second(contender.measure(size, TimeUnit.SECONDS.toNanos(1)), contender.stolen());
        print(number, second);
        if (number >= Math.min(FIRST, count)) {
          outcome.seconds().add(second);
        }
      }
    } finally {
      contender.close();
    }
  }

  private void print(int number, Second second) {
    if (!arguments.json()) {
      Sample sample = second.sample();
      out.printf(Locale.ROOT, "%3d s: %,10.0f rounds, p50 %s p90 %s p99 %s, processor %s µs%s%n", number, sample.messages(),
        Figure.text(sample.p50()), Figure.text(sample.p90()), Figure.text(sample.p99()), Figure.text(sample.cpu()),
        second.counts() ? "" : String.format(Locale.ROOT, ", left out: %.0f %% stolen", second.stolen() * 100));
    }
  }

  private void report(List<Outcome> outcomes, int size) {
    if (!arguments.json()) {
      out.println("# the median and the 5th percentile of the counted seconds, in rounds per second, and their ratios to those of busy");
      out.printf(LINE, "", "over", "seconds", "left out", "median", "ratio", "5 %", "ratio", "p50 µs", "p90 µs", "p99 µs", "cpu µs");
    }
    Outcome busy = outcomes.stream().filter(each -> each.name().equals(BUSY) && each.leftOut() < each.seconds().size()).findFirst()
      .orElse(null);
    for (Outcome outcome : outcomes) {
      int counted = outcome.seconds().size() - outcome.leftOut();
      if (counted == 0) {
        System.err.println("rdma perf: no second of " + outcome.name() + " counts: " + outcome.leftOut() + " were left out, because "
          + "other virtual machines took processor time");
        continue;
      }
      Sample median = outcome.median();
      double ratio = busy == null ? Double.NaN : median.messages() / busy.median().messages();
      double fifthRatio = busy == null ? Double.NaN : outcome.fifthPercentile() / busy.fifthPercentile();
      if (!arguments.json()) {
        out.printf(LINE, outcome.name(), fabric, counted, outcome.leftOut(), Figure.text(median.messages()), Figure.text(ratio),
          Figure.text(outcome.fifthPercentile()), Figure.text(fifthRatio), Figure.text(median.p50()),
          Figure.text(median.p90()),
          Figure.text(median.p99()), Figure.text(median.cpu()));
      } else {
        out.println(new JsonObject().put("mode", "ping").put("contender", outcome.name()).put("fabric", fabric).put("size", size)
          .put("connections", arguments.connections()).put("seconds", counted).put("left_out", outcome.leftOut())
          .put("median_per_s", Row.number(median.messages())).put("ratio", Row.number(ratio))
          .put("fifth_percentile_per_s", Row.number(outcome.fifthPercentile())).put("fifth_percentile_ratio", Row.number(fifthRatio))
          .put("p50_us", Row.number(median.p50())).put("p90_us", Row.number(median.p90())).put("p99_us", Row.number(median.p99()))
          .put("cpu_us", Row.number(median.cpu())).encode());
      }
    }
  }
}
