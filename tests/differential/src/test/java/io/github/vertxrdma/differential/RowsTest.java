package io.github.vertxrdma.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowsTest {
  @Test
  void fullRunHasEachValueAtLeastFiveTimes() {
    List<Row> rows = Rows.full();
    assertTrue(rows.size() >= 60, "rows: " + rows.size());
    Map<String, Integer> counts = new HashMap<>();
    for (Reader reader : Reader.values()) {
      counts.put(reader.name(), 0);
    }
    rows.forEach(row -> Rows.values(row).forEach(value -> counts.merge(value, 1, Integer::sum)));
    counts.values().removeIf(count -> count >= 5);
    assertEquals(Map.of(), counts, "values that occur less than five times");
  }

  @Test
  void fullRunHasEachKindOnEachLaneAndEachEndingOnTwo() {
    Map<Lane, List<Row>> plan = Rows.inTurn(Rows.full());
    for (Kind kind : EnumSet.complementOf(EnumSet.of(Kind.REFUSAL, Kind.FAILURES))) {
      plan.forEach((lane, rows) -> assertTrue(rows.stream().anyMatch(row -> row.kind() == kind), kind + " on " + lane));
    }
    for (Ending ending : Ending.values()) {
      long lanes = plan.values().stream().filter(rows -> rows.stream().anyMatch(row -> row.ending() == ending)).count();
      assertTrue(ending.seconds() > 12 ? lanes == 0 : lanes >= 2, ending + " on " + lanes + " lanes");
    }
  }

  @Test
  void twoHalvesHaveEachRow() {
    Map<Lane, List<Row>> plan = Rows.inTurn(Rows.full());
    plan.forEach((lane, rows) -> {
      Set<Row> both = new HashSet<>(Rows.half(plan, 6).get(lane));
      assertTrue(both.size() < rows.size(), "on " + lane);
      both.addAll(Rows.half(plan, -1).get(lane));
      assertEquals(Set.copyOf(rows), both, "on " + lane);
    });
  }

  @Test
  void longRunHasAtLeastThreeHundredRowsAndEachEnding() {
    List<Row> rows = Rows.all();
    assertTrue(rows.size() >= 300, "rows: " + rows.size());
    for (Ending ending : Ending.values()) {
      assertTrue(rows.stream().anyMatch(row -> row.ending() == ending), ending.toString());
    }
  }

  @Test
  void rowsAreWhatTheirTextsSay() {
    Rows.all().forEach(row -> assertEquals(row, Row.parse(row.toString())));
  }
}
