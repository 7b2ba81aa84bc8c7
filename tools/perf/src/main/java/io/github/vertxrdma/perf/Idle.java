package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Measures the resources of idle nodes. The compared programs alternate, each with new processes. */
final class Idle {
  private static final String LINE = "%-10s %-7s %10s %10s %12s %10s%n";

  /**
   * Resources of a node.
   *
   * @param cpu milliseconds of processor time per second
   * @param resident MiB of resident memory
   */
  record Use(double cpu, double threads, double resident, double descriptors) {

    static Use of(double cpu, List<Long> processes) throws IOException {
      double threads = 0;
      double resident = 0;
      double descriptors = 0;
      for (long process : processes) {
        Path proc = Path.of("/proc", Long.toString(process));
        threads += count(proc.resolve("task"));
        descriptors += count(proc.resolve("fd"));
        resident += Files.readAllLines(proc.resolve("status")).stream().filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).sum() / 1024.0;
      }
      int count = processes.size();
      return new Use(cpu / count, threads / count, resident / count, descriptors / count);
    }

    private static long count(Path folder) throws IOException {
      try (Stream<Path> files = Files.list(folder)) {
        return files.count();
      }
    }

    static Use median(List<Use> all) {
      return new Use(median(all, Use::cpu), median(all, Use::threads), median(all, Use::resident), median(all, Use::descriptors));
    }

    private static double median(List<Use> all, ToDoubleFunction<Use> of) {
      return Sample.median(all.stream().map(of::applyAsDouble).toList());
    }
  }

  private Idle() {
  }

  static void run(PerfArguments arguments, PrintStream out) throws Exception {
    if (!arguments.json()) {
      out.println("# " + arguments.placement().onThisMachine());
      out.println("# of each node, the medians of " + arguments.runs() + " starts");
      out.printf(LINE, "", "over", "cpu ms/s", "threads", "resident MiB", "files");
    }
    for (String fabric : arguments.fabrics()) {
      measure(arguments, fabric, out);
    }
  }

  private static void measure(PerfArguments arguments, String fabric, PrintStream out) throws Exception {
    Progress progress = new Progress();
    List<JvmContender> contenders = Contender.pairs("ours", arguments, fabric);
    List<List<Use>> uses = contenders.stream().map(each -> (List<Use>) new ArrayList<Use>()).toList();
    for (int run = 1; run <= arguments.runs(); run++) {
      for (int i = 0; i < contenders.size(); i++) {
        progress.accept("idle nodes over " + fabric + ", start " + run + " of " + arguments.runs() + ", " + contenders.get(i).name());
        uses.get(i).add(contenders.get(i).idle((long) (arguments.seconds() * 1e9)));
      }
    }
    progress.clear();
    for (int i = 0; i < contenders.size(); i++) {
      String name = contenders.get(i).name();
      Use use = Use.median(uses.get(i));
      if (!arguments.json()) {
        out.printf(Locale.ROOT, LINE, name, fabric, Figure.text(use.cpu), Figure.text(use.threads), Figure.text(use.resident),
          Figure.text(use.descriptors));
      } else {
        out.println(new JsonObject().put("mode", "start").put("kind", "idle").put("contender", name).put("fabric", fabric)
          .put("cpu_ms_per_s", Row.number(use.cpu)).put("threads", Row.number(use.threads))
          .put("resident_mib", Row.number(use.resident)).put("descriptors", Row.number(use.descriptors)).encode());
      }
    }
  }
}
