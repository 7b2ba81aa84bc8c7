package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.perf.Builds.Interval;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class BuildsTest {

  @Test
  void anIntervalIsThatOfStudentsDistribution() {
    // The mean of the logarithms is 0, their deviation 0.1, and t of one degree of freedom 12.706.
    double spread = 0.1 / Math.sqrt(2);
    Interval two = Interval.of(List.of(Math.exp(spread), Math.exp(-spread)));
    assertEquals(1, two.mean(), 1e-9);
    assertEquals(12.706 * 0.1 / Math.sqrt(2), Math.log(two.high()), 1e-9);
    assertEquals(two.high(), 1 / two.low(), 1e-9);
    // Student's t of 29 degrees of freedom is 2.0452.
    List<Double> thirty = Stream.of(Collections.nCopies(15, Math.exp(0.01)), Collections.nCopies(15, Math.exp(-0.01))).flatMap(List::stream)
      .toList();
    assertEquals(2.0452 * 0.01 * Math.sqrt(30.0 / 29) / Math.sqrt(30), Math.log(Interval.of(thirty).high()), 1e-6);
  }

  @Test
  void nothingIsLostWhereTheIntervalIsNarrowAndNotBelowOne() {
    assertTrue(new Interval(0.99, 0.97, 1.01).isKept());
    assertTrue(new Interval(1.2, 1.18, 1.22).isKept());
    assertFalse(new Interval(0.97, 0.95, 0.99).isKept(), "it takes more");
    assertFalse(new Interval(1, 0.97, 1.03).isKept(), "it says nothing");
  }

  private static Perf parse(String... arguments) {
    return (Perf) Commands.parse(Stream.concat(Stream.of("perf"), Stream.of(arguments)).toArray(String[]::new));
  }

  private static Perf shortOne(String... more) {
    return parse(Stream.concat(Stream.of("builds", "--before", System.getProperty("java.class.path"), "--fabric", "nio:nio", "--runs", "2",
      "--seconds", "0.02", "--warm-up", "0.05"), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  @Tag("full")
  void aProcessOfABuildTakesTimeAndLeavesGarbage() throws Exception {
    Builds.Cost cost = new Builds(shortOne(), System.out).cost(System.getProperty("java.class.path"), "nio", 64);
    assertTrue(cost.nanos() > 100 && cost.bytes() > 0, cost.toString());
  }

  @Test
  @Tag("long")
  void rowHasBothBuilds() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Perf perf = shortOne("--json");
    Interval interval = new Builds(perf, new PrintStream(out, true, StandardCharsets.UTF_8)).run().getFirst();
    JsonObject row = new JsonObject(out.toString(StandardCharsets.UTF_8));
    assertTrue(interval.low() <= interval.mean() && interval.mean() <= interval.high(), interval.toString());
    assertTrue(row.getDouble("before_ns") > 100 && row.getDouble("now_ns") > 100, row.encode());
    assertTrue(row.getDouble("now_garbage") > 0, row.encode());
    assertEquals("nio", row.getString("fabric"));
  }

  @Test
  void missingBuildIsReportedAtOnce() {
    Perf perf = parse("builds", "--before", System.getProperty("java.io.tmpdir") + File.pathSeparator + "/nowhere/*");
    String words = assertThrows(PerfException.class, () -> new Builds(perf, System.out).run()).getMessage();
    assertEquals("cannot find /nowhere/*, which --before names", words);
  }
}
