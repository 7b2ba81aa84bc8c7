package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.commands.UsageException;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A small cluster as it grows: what may not depend on the number of nodes. */
class GrowthTest {
  private static Perf parse(String... arguments) {
    return (Perf) Commands.parse(arguments);
  }

  @Test
  void sizesAreInOrder() {
    assertEquals(List.of(2, 4, 8, 16, 32), parse("perf", "growth").nodes());
    assertEquals(List.of(2, 3, 4, 8), parse("perf", "growth", "--nodes", "8,2-4").nodes());
    assertEquals("--nodes '1': numbers from 2 to 128, as 4, 1,2,4 or 1-4",
      assertThrows(UsageException.class, () -> parse("perf", "growth", "--nodes", "1")).getMessage());
    assertTrue(assertThrows(UsageException.class, () -> parse("perf", "latency", "--nodes", "2")).getMessage().contains("belongs to growth"));
  }

  @Test
  @Timeout(600)
  @EnabledOnOs(value = OS.LINUX, disabledReason = "connections of a process are counted in /proc")
  void aNodeCostsItsPeersAndAnEventForEachEntryWhateverTheCluster() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Growth.run(parse("perf", "growth", "--nodes", "2,4", "--fabric", "nio", "--seconds", "0.01", "--json"),
      new PrintStream(out, true, StandardCharsets.UTF_8));
    List<JsonObject> rows = out.toString(StandardCharsets.UTF_8).lines().map(JsonObject::new).toList();
    assertEquals(List.of("2", "4", "each"), rows.stream().map(row -> row.getString("nodes")).toList());
    for (JsonObject row : rows.subList(0, 2)) {
      assertEquals(1, row.getDouble("control"), row.encode());
      // The node and its service.
      for (String change : List.of("join_events", "leave_events", "crash_events")) {
        assertEquals(2, row.getDouble(change), row.encode());
      }
      assertTrue(row.getDouble("entry") > 100 && row.getDouble("entry") < 2000, row.encode());
      assertTrue(row.getDouble("heap") > 1000 && row.getDouble("lost") > 0 && row.getDouble("flows") >= 0, row.encode());
    }
  }
}
