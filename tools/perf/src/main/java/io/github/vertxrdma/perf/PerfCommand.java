package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

final class PerfCommand {
  private PerfCommand() {
  }

  static List<Row> run(List<PerfArguments> all, PrintStream out) throws Exception {
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

  private static List<Row> measure(PerfArguments arguments, String fabric, Consumer<Row> sink) throws Exception {
    List<Row> rows = new ArrayList<>();
    List<Contender> contenders = new ArrayList<>();
    Progress progress = new Progress();
    try {
      contenders.add(Contender.ours("ours", arguments, fabric));
      for (String peer : arguments.against()) {
        try {
          contenders.add(Contender.peer(peer, arguments, fabric));
        } catch (SkippedException e) {
          System.err.println("rdma perf: skipped " + peer + " over " + fabric + ": " + e.getMessage());
        }
      }
      for (int size : arguments.sizes()) {
        List<List<Sample>> samples = race(contenders, size, arguments.runs(), arguments.seconds(),
          text -> progress.accept(arguments.words() + " over " + fabric + ": " + text));
        progress.clear();
        for (int i = Math.min(1, contenders.size() - 1); i < contenders.size(); i++) {
          Row row = i == 0 ? new Row(arguments, fabric, size, Sample.median(samples.getFirst()), null, null)
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

  /**
   * Runs the compared programs alternately, so that a disturbance affects all of them. Excludes rounds with much stolen processor time,
   * unless no other round remains.
   */
  static List<List<Sample>> race(List<Contender> contenders, int size, int runs, double seconds, Consumer<String> progress)
    throws Exception {
    List<List<Sample>> samples = new ArrayList<>();
    contenders.forEach(contender -> samples.add(new ArrayList<>()));
    int leftOut = 0;
    for (int run = 1; run <= runs; run++) {
      List<Sample> turn = new ArrayList<>();
      for (Contender contender : contenders) {
        progress.accept(size + " bytes, run " + run + " of " + runs + ", " + contender.name());
        turn.add(contender.run(size, (long) (seconds * 1e9)));
      }
      if (contenders.stream().allMatch(contender -> contender.stolen() <= OtherWork.MOST_STOLEN) || leftOut == runs - 1) {
        for (int i = 0; i < turn.size(); i++) {
          samples.get(i).add(turn.get(i));
        }
      } else {
        leftOut++;
      }
    }
    if (leftOut > 0) {
      System.err.println("rdma perf: left out " + leftOut + " of " + runs + " runs in which other virtual machines took more than 3 % "
        + "of the processor time");
    }
    return samples;
  }
}
