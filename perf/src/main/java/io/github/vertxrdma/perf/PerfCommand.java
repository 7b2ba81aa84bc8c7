package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;

import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Measures one mode. */
final class PerfCommand {
  private final PerfArguments arguments;
  private final PrintStream out;
  private final Progress progress = new Progress();

  PerfCommand(PerfArguments arguments, PrintStream out) {
    this.arguments = arguments;
    this.out = out;
  }

  List<Row> run() throws Exception {
    Table table = new Table(out);
    List<Row> rows = new ArrayList<>();
    if (!arguments.json()) {
      out.println("# " + Machine.describe());
      table.head();
    }
    for (String fabric : arguments.fabrics()) {
      for (Row row : measure(fabric, arguments.json() ? row -> out.println(row.toJson().encode()) : table::row)) {
        rows.add(row);
      }
    }
    if (arguments.plot() != null) {
      Files.writeString(arguments.plot(), new Plot(rows).draw(arguments.plot().toString().endsWith(".html")));
    }
    return rows;
  }

  /** Where rows go as they come. */
  private interface Sink {
    void row(Row row);
  }

  private List<Row> measure(String fabric, Sink sink) throws Exception {
    List<Row> rows = new ArrayList<>();
    List<Contender> contenders = new ArrayList<>();
    try {
      contenders.add(Contenders.ours(arguments, fabric));
      for (String peer : arguments.against()) {
        try {
          contenders.add(Contenders.peer(peer, arguments, fabric));
        } catch (SkippedException e) {
          System.err.println("rdma perf: skipped " + peer + " over " + fabric + ": " + e.getMessage());
        }
      }
      Race race = new Race(arguments.runs(), arguments.seconds(),
        text -> progress.accept(arguments.mode().word() + " over " + fabric + ": " + text));
      for (int size : arguments.sizes()) {
        List<Sample> samples = race.run(contenders, size);
        progress.clear();
        for (int i = Math.min(1, contenders.size() - 1); i < contenders.size(); i++) {
          Row row = new Row(arguments.mode(), fabric, size, arguments.connections(), arguments.window(), samples.getFirst(),
            i == 0 ? null : contenders.get(i).name(), i == 0 ? null : samples.get(i));
          rows.add(row);
          sink.row(row);
        }
      }
    } finally {
      progress.clear();
      contenders.forEach(Contender::close);
    }
    return rows;
  }
}
