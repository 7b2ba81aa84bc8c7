package io.github.vertxrdma.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/**
 * A run of rows, with a test for each row and lane. The system properties {@code differential.rows}, a regular expression, and {@code
 * differential.lanes}, names, select from them.
 */
final class DifferentialRun {
  private final Map<Lane, List<Row>> plan;
  private final Map<String, Map<Lane, GroupOutcome>> outcomes = new LinkedHashMap<>();
  /** Outcomes of stock Vert.x, with a second one if a lane differs from the first. */
  private final Map<String, List<GroupOutcome>> stock = new LinkedHashMap<>();

  DifferentialRun(Map<Lane, List<Row>> plan) {
    this.plan = plan;
  }

  /** Runs the selected rows on their lanes and on stock Vert.x. */
  static DifferentialRun of(Map<Lane, List<Row>> all) throws IOException, InterruptedException {
    String selected = System.getProperty("differential.rows", ".*");
    String lanes = System.getProperty("differential.lanes");
    Map<Lane, List<Row>> plan = new EnumMap<>(Lane.class);
    all.forEach((lane, rows) -> {
      if (lanes == null || List.of(lanes.split(",")).contains(lane.name())) {
        plan.put(lane, rows.stream().filter(row -> row.toString().matches(selected)).toList());
      }
    });
    DifferentialRun run = new DifferentialRun(plan);
    Path folder = Files.createTempDirectory("rows");
    try {
      Archive archive = Archive.shared();
      run.run(new Suite(archive.classPath(), archive.options(), folder));
    } finally {
      delete(folder);
    }
    return run;
  }

  void run(Suite suite) throws InterruptedException {
    Map<Lane, List<Row>> present = new EnumMap<>(Lane.class);
    plan.forEach((lane, rows) -> {
      if (lane.missing() == null) {
        present.put(lane, rows);
      }
    });
    present.put(Lane.STOCK, plan.values().stream().flatMap(List::stream).distinct().toList());
    outcomes.putAll(suite.run(present));
    outcomes.forEach((group, of) -> stock.put(group, new ArrayList<>(List.of(of.get(Lane.STOCK)))));
    repeat(suite);
  }

  /**
   * Repeats rows that differ: on stock Vert.x, whose outcomes vary too, and on the lane if only a duration differs. Repeats first all at
   * once, which leaves most of the machine free, then each remaining one alone.
   */
  private void repeat(Suite suite) throws InterruptedException {
    repeat(suite, differing());
    for (Map.Entry<String, Set<Lane>> each : differing().entrySet()) {
      repeat(suite, Map.of(each.getKey(), each.getValue()));
    }
  }

  private Map<String, Set<Lane>> differing() {
    Map<String, Set<Lane>> differing = new LinkedHashMap<>();
    groups().forEach((name, group) -> outcomes.get(name).forEach((lane, outcome) -> {
      List<Difference> found = lane == Lane.STOCK ? List.of() : differences(name, lane, group, outcome);
      if (!found.isEmpty()) {
        differing.computeIfAbsent(name, key -> new TreeSet<>()).add(Lane.STOCK);
      }
      if (!found.isEmpty() && (found.stream().allMatch(Difference::timing) || !lane.isWay(outcome))) {
        differing.get(name).add(lane);
      }
    }));
    return differing;
  }

  private Map<String, List<Row>> groups() {
    return Rows.groups(plan.values().stream().flatMap(List::stream).distinct().toList());
  }

  private void repeat(Suite suite, Map<String, Set<Lane>> repeated) throws InterruptedException {
    Map<Lane, List<Row>> again = new EnumMap<>(Lane.class);
    Map<String, List<Row>> groups = groups();
    repeated
      .forEach((name, lanes) -> lanes.forEach(lane -> again.computeIfAbsent(lane, key -> new ArrayList<>()).addAll(groups.get(name))));
    suite.run(again).forEach((name, of) -> of.forEach((lane, outcome) -> {
      if (lane == Lane.STOCK) {
        stock.get(name).add(outcome);
      } else {
        outcomes.get(name).put(lane, outcome);
      }
    }));
  }

  private List<Difference> differences(String name, Lane lane, List<Row> group, GroupOutcome ours) {
    List<Difference> found = new ArrayList<>(differences(name, lane, ours));
    group.forEach(row -> found.addAll(differences(name, row, ours)));
    return found;
  }

  /** Returns the differences from the nearest outcome of stock Vert.x, and the way if it is not the lane's. */
  private List<Difference> differences(String group, Lane lane, GroupOutcome ours) {
    List<Difference> found = new ArrayList<>(nearest(stock.get(group).stream().map(of -> Comparison.differences(of, ours))));
    boolean stopped = ours.rows().keySet().stream().anyMatch(row -> row.ending() == Ending.CONNECT_STOPPED_5);
    if (ours.error() == null && !stopped && !lane.isWay(ours)) {
      // On a busy machine a connection takes TCP if the fabric answers late. A connection that is to move tries the fabric again.
      boolean moves = ours.rows().keySet().stream().anyMatch(row -> row.ending() == Ending.MOVE);
      found.add(new Difference(Difference.OTHER_WAY + lane + ": channel " + ours.channel() + ", over a fabric: "
        + ours.onFabric(), !moves));
    }
    return found;
  }

  private List<Difference> differences(String group, Row row, GroupOutcome ours) {
    Outcome outcome = ours.rows().get(row);
    return outcome == null ? List.of(new Difference("it was not carried out: " + ours.error(), true))
      : nearest(stock.get(group).stream().filter(of -> of.rows().containsKey(row))
        .map(of -> Comparison.differences(row, of.rows().get(row), outcome)));
  }

  private static List<Difference> nearest(Stream<List<Difference>> differences) {
    return differences.min(Comparator.comparingInt(List::size))
      .orElse(List.of(new Difference("stock Vert.x has no outcome", true)));
  }

  List<Difference> differences(Lane lane) {
    return Rows.groups(plan.get(lane)).entrySet().stream()
      .flatMap(group -> differences(group.getKey(), lane, group.getValue(), outcomes.get(group.getKey()).get(lane)).stream()).toList();
  }

  /**
   * Runs rows with another product.
   *
   * @return the differences from stock Vert.x in this run
   */
  List<Difference> differences(Suite other, Lane lane, List<Row> rows) throws InterruptedException {
    Map<String, Map<Lane, GroupOutcome>> of = other.run(Map.of(lane, rows));
    return Rows.groups(rows).entrySet().stream()
      .flatMap(group -> differences(group.getKey(), lane, group.getValue(), of.get(group.getKey()).get(lane)).stream()).toList();
  }

  /** Returns a test for each row and lane, and for the processes that rows share. */
  Stream<DynamicNode> tests() {
    return plan.keySet().stream().map(lane -> DynamicContainer.dynamicContainer(lane.name(), tests(lane)));
  }

  private Stream<DynamicNode> tests(Lane lane) {
    List<DynamicNode> tests = new ArrayList<>();
    for (Map.Entry<String, List<Row>> group : Rows.groups(plan.get(lane)).entrySet()) {
      String name = group.getKey();
      tests.add(test(lane, "processes: " + name, () -> processes(lane, name)));
      for (Row row : group.getValue()) {
        tests.add(test(lane, row.toString(), () -> differences(name, row, outcomes.get(name).get(lane))));
      }
    }
    tests.add(test(lane, "most processes went this way", () -> {
      Set<String> all = Rows.groups(plan.get(lane)).keySet();
      List<String> others = all.stream().filter(name -> differences(name, lane, outcomes.get(name).get(lane)).stream()
        .anyMatch(Difference::isLateFabric)).toList();
      return others.size() * 4 <= all.size() ? List.of() : List.of(new Difference(others + " did not", false));
    }));
    return tests.stream();
  }

  /** Skips processes that used TCP in each run, because the fabric answered late. */
  private List<Difference> processes(Lane lane, String group) {
    List<Difference> found = new ArrayList<>(differences(group, lane, outcomes.get(group).get(lane)));
    List<Difference> late = lane.isOverFabric() ? found.stream().filter(Difference::isLateFabric).toList() : List.of();
    found.removeAll(late);
    Assumptions.assumeTrue(late.isEmpty() || !found.isEmpty(), late::toString);
    return found;
  }

  @FunctionalInterface
  private interface Differences {
    List<Difference> find();
  }

  private static DynamicTest test(Lane lane, String name, Differences differences) {
    return DynamicTest.dynamicTest(lane + ": " + name, () -> {
      Assumptions.assumeTrue(lane.missing() == null, lane.missing());
      assertEquals(List.of(), differences.find(), name);
    });
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
