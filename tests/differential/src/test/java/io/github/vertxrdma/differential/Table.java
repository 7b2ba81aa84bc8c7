package io.github.vertxrdma.differential;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints the outcomes of rows on lanes. Arguments: a regular expression for rows, then lanes; none for all. */
final class Table {
  private Table() {
  }

  public static void main(String[] arguments) throws Exception {
    List<Row> rows = Rows.all().stream().filter(row -> row.toString().matches(arguments[0])).toList();
    if (arguments[0].equals("full")) {
      rows = Rows.full();
    }
    List<Lane> lanes = new ArrayList<>(List.of(Lane.values()));
    if (arguments.length > 1) {
      lanes = Arrays.stream(arguments).skip(1).map(Lane::valueOf).toList();
    }
    List<Row> selected = rows;
    long start = System.nanoTime();
    Path folder = Files.createTempDirectory("rows");
    Archive archive = Archive.in(folder.resolve("archive"));
    System.out.println((System.nanoTime() - start) / 1_000_000 + " ms archive in " + folder);
    Suite suite = new Suite(archive.classPath(), archive.options(), folder);
    Map<String, Map<Lane, GroupOutcome>> outcomes = suite.run(lanes.stream().collect(Collectors.toMap(lane -> lane, lane -> selected)));
    print(System.out, rows, lanes, outcomes);
    System.out.println((System.nanoTime() - start) / 1_000_000 + " ms, " + rows.size() + " rows");
  }

  static void print(PrintStream out, List<Row> rows, List<Lane> lanes, Map<String, Map<Lane, GroupOutcome>> outcomes) {
    Rows.groups(rows).forEach((name, group) -> {
      Map<Lane, GroupOutcome> of = outcomes.get(name);
      out.println("== " + name);
      for (Lane lane : lanes) {
        GroupOutcome outcome = of.get(lane);
        out.println("  " + lane + " exit " + outcome.exit() + " ended " + outcome.endedAfterMillis() + " stop "
          + outcome.stopAfterMillis() + " warnings " + outcome.warnings().size() + " severes " + outcome.severes().size() + " fabric "
          + outcome.onFabric() + ' ' + outcome.channel() + (outcome.error() == null ? "" : " ERROR " + outcome.error()));
        if (lane != Lane.STOCK && of.containsKey(Lane.STOCK)) {
          Comparison.differences(of.get(Lane.STOCK), outcome).forEach(text -> out.println("    ! " + text));
        }
      }
      for (Row row : group) {
        out.println("  " + row);
        for (Lane lane : lanes) {
          Outcome outcome = of.get(lane).rows().get(row);
          out.println("    " + lane + ' ' + (outcome == null ? "none" : "written " + outcome.written() + " completed "
            + outcome.completed().size() + " failed " + outcome.failed().size() + " received " + outcome.received().size() + " wrong "
            + outcome.wrong() + " lost " + outcome.lost().size() + " missing " + outcome.missing().size() + ' ' + outcome.readerEvents()
            + outcome.writerEvents()));
          Outcome stock = of.containsKey(Lane.STOCK) ? of.get(Lane.STOCK).rows().get(row) : null;
          if (lane != Lane.STOCK && stock != null && outcome != null) {
            Comparison.differences(row, stock, outcome).forEach(text -> out.println("      ! " + text));
          }
        }
      }
    });
  }
}
