package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.perf.Policy.Steadiness;
import io.github.vertxrdma.perf.work.Sample;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows as they are judged, and one short row with processes of its own, which is not. */
@Timeout(120)
@ExtendWith(QuickJvms.class)
class PolicyTest {

  private static Sample sample(double p50, double p99) {
    return new Sample(p50, p50, p99, 0, 0, 0);
  }

  private static Steadiness row(List<Sample> ours, List<Sample> tcp) {
    return Policy.row("nio", new Surroundings(false, 0, 0), 2, ours, tcp);
  }

  @Test
  void aRowIsSteadyOrNotAndFasterThanTcpOrNot() {
    List<Sample> tcp = List.of(sample(30, 90), sample(30, 90), sample(60, 90));
    Steadiness kept = row(List.of(sample(20, 100), sample(30, 90), sample(25, 45)), tcp);
    assertEquals(1.5, kept.spread());
    assertEquals(1.5, kept.ratio());
    assertEquals(1, kept.ratio99());
    assertTrue(kept.isKept());
    assertFalse(row(List.of(sample(10, 90), sample(20, 90), sample(20, 90)), tcp).isKept(), "it spreads");
    assertFalse(row(List.of(sample(31, 90), sample(31, 90), sample(31, 90)), tcp).isKept(), "it is slower");
  }

  @Test
  @Tag("full")
  void aShortRowWithSlowerWakeUps() throws Exception {
    Surroundings slower;
    try {
      slower = new Surroundings(true, 1, 20);
    } catch (PerfException e) {
      slower = Assumptions.abort(e.getMessage());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PerfArguments arguments = PerfArguments
      .parse(List.of("policy", "--fabric", "nio", "--runs", "2", "--seconds", "0.05", "--warm-up", "0.05"));
    List<Steadiness> rows = new Policy(arguments, new PrintStream(out, true, StandardCharsets.UTF_8)).run(List.of(slower), List.of(0, 1));
    assertEquals(List.of("nio, pinned, wake-ups 20 µs later, 0 busy", "nio, pinned, wake-ups 20 µs later, 1 busy"),
      rows.stream().map(Steadiness::name).toList());
    // A TCP round has two wake-ups.
    assertTrue(rows.getFirst().tcp() > 40 && rows.getFirst().least() > 0, rows.toString());
    String text = out.toString(StandardCharsets.UTF_8);
    assertEquals(rows.stream().anyMatch(row -> !row.isKept()), text.contains("rows that spread by more than 1.5"), text);
  }
}
