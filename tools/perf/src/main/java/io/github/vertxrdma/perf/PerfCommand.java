package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

final class PerfCommand {
  private final List<PerfArguments> all;
  private final PrintStream out;
  private final Progress progress = new Progress();

  PerfCommand(List<PerfArguments> all, PrintStream out) {
    this.all = all;
    this.out = out;
  }

  List<Row> run() throws Exception {
    PerfArguments first = all.getFirst();
    List<Row> rows = new ArrayList<>();
    Consumer<Row> sink = row -> out.println(row.toJson().encode());
    if (!first.json()) {
      out.println("# " + first.placement().onThisMachine());
      Row.printHead(out);
      sink = row -> row.print(out);
    }
    for (PerfArguments arguments : all) {
      for (String fabric : arguments.fabrics()) {
        rows.addAll(measure(arguments, fabric, sink));
      }
    }
    return rows;
  }

  /** Returns the run with the median ratio, which changes of the machine's speed hardly affect. */
  private static Row typical(PerfArguments arguments, String fabric, int size, List<Sample> ours, String peer, List<Sample> peerSamples) {
    List<Row> runs = new ArrayList<>();
    for (int run = 0; run < ours.size(); run++) {
      runs.add(new Row(arguments, fabric, size, ours.get(run), peer, peerSamples.get(run)));
    }
    runs.sort(Comparator.comparingDouble(Row::ratio));
    return runs.get((runs.size() - 1) / 2);
  }

  private List<Row> measure(PerfArguments arguments, String fabric, Consumer<Row> sink) throws Exception {
    List<Row> rows = new ArrayList<>();
    List<Contender> contenders = new ArrayList<>();
    try {
      contenders.add(Contenders.ours("ours", arguments, fabric));
      for (String peer : arguments.against()) {
        try {
          contenders.add(Contenders.peer(peer, arguments, fabric));
        } catch (SkippedException e) {
          System.err.println("rdma perf: skipped " + peer + " over " + fabric + ": " + e.getMessage());
        }
      }
      Race race = new Race(arguments.runs(), arguments.seconds(),
        text -> progress.accept(arguments.words() + " over " + fabric + ": " + text));
      for (int size : arguments.sizes()) {
        List<List<Sample>> samples = race.run(contenders, size);
        progress.clear();
        for (int i = Math.min(1, contenders.size() - 1); i < contenders.size(); i++) {
          Row row = i == 0 ? new Row(arguments, fabric, size, Race.median(samples.getFirst()), null, null)
            : typical(arguments, fabric, size, samples.getFirst(), contenders.get(i).name(), samples.get(i));
          rows.add(row);
          sink.accept(row);
        }
      }
    } finally {
      progress.clear();
      contenders.forEach(Contender::close);
    }
    return rows;
  }
}
