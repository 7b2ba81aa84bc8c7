package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Effects of a node's options on a fabric: each in turn with several values, which race against each other. */
final class Sweep {
  private static final Map<String, List<Integer>> VALUES = new LinkedHashMap<>();

  static {
    VALUES.put("bufferSize", List.of(4096, 16384, 65536));
    VALUES.put("dataCredits", List.of(4, 16, 64));
    VALUES.put("fragmentSize", List.of(65536, 262144, 1048576));
    VALUES.put("spin", List.of(1, 50, 200));
  }

  private final String fabric;
  private final Surroundings around;
  private final int runs;
  private final String seconds;
  private final Lines lines;
  private final PrintStream out;
  private final Progress progress = new Progress();

  private Sweep(String fabric, Surroundings around, int runs, String seconds, Lines lines, PrintStream out) {
    this.fabric = fabric;
    this.around = around;
    this.runs = runs;
    this.seconds = seconds;
    this.lines = lines;
    this.out = out;
  }

  static void run(PerfArguments parsed, PrintStream out) throws Exception {
    Lines lines = new Lines(parsed.form(), out);
    for (String fabric : parsed.fabrics()) {
      new Sweep(fabric, parsed.around(), parsed.runs(), Double.toString(parsed.seconds()), lines, out).run();
    }
  }

  private void run() throws Exception {
    if (lines.areForPeople()) {
      out.println("# " + around.onThisMachine());
      out.printf("%-14s %9s %16s %16s %18s %20s%n", "over " + fabric, "value", "64 B p50 µs", "20 KiB p50 µs", "64 B per s", "1 MiB MiB/s");
    }
    for (Map.Entry<String, List<Integer>> option : VALUES.entrySet()) {
      List<Sample> small = race(option, "latency", 64);
      List<Sample> middle = race(option, "latency", 20 << 10);
      List<Sample> rate = race(option, "rate", 64);
      List<Sample> large = race(option, "bandwidth", 1 << 20);
      progress.clear();
      for (int i = 0; i < option.getValue().size(); i++) {
        int value = option.getValue().get(i);
        if (!lines.areForPeople()) {
          lines.row(new JsonObject().put("fabric", fabric).put("option", option.getKey()).put("value", value)
            .put("small_p50_us", small.get(i).p50()).put("middle_p50_us", middle.get(i).p50()).put("small_per_s", rate.get(i).messages())
            .put("large_mib_per_s", large.get(i).mebibytes()));
        } else {
          out.printf(Locale.ROOT, "%-14s %9d %16s %16s %18s %20s%n", option.getKey(), value, Table.text(small.get(i).p50()),
            Table.text(middle.get(i).p50()), Table.text(rate.get(i).messages()), Table.text(large.get(i).mebibytes()));
        }
      }
    }
  }

  private List<Sample> race(Map.Entry<String, List<Integer>> option, String mode, int size) throws Exception {
    List<Contender> contenders = new ArrayList<>();
    try {
      for (int value : option.getValue()) {
        contenders.add(Contenders.ours(option.getKey() + ' ' + value, PerfArguments.parse(List.of(mode, "--warm-up", "1",
          "--option", option.getKey() + '=' + value)).in(around), fabric));
      }
      return new Race(runs, Double.parseDouble(seconds), text -> progress.accept(mode + " over " + fabric + ": " + text))
        .run(contenders, size).stream().map(Race::median).toList();
    } finally {
      contenders.forEach(Contender::close);
    }
  }
}
