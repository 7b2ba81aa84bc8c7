package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.commands.UsageException;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

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
    assertTrue(
      assertThrows(UsageException.class, () -> parse("perf", "latency", "--nodes", "2")).getMessage().contains("belongs to growth"));
  }

  @Test
  @Tag("full")
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

  @Test
  @Tag("long")
  @Timeout(120)
  void aSignalLeavesNothing(@TempDir Path temporary) throws Exception {
    Process perf = java(temporary, "io.github.vertxrdma.perf.Main", "perf", "growth", "--nodes", "2", "--fabric", "nio");
    List<ProcessHandle> nodes = perf.children().toList();
    while (nodes.size() < 2) {
      LockSupport.parkNanos(1_000_000);
      nodes = perf.children().toList();
    }
    perf.destroy();
    assertTrue(perf.waitFor(20, TimeUnit.SECONDS));
    for (ProcessHandle node : nodes) {
      node.onExit().get(20, TimeUnit.SECONDS);
    }
    try (Stream<Path> files = Files.list(temporary)) {
      assertEquals(List.of(), files.filter(file -> file.getFileName().toString().startsWith("rdma-growth")).toList());
    }
  }

  @Test
  @Tag("long")
  @Timeout(120)
  void aNodeDoesNotOutliveWhoStartedItWhateverItDoes(@TempDir Path temporary) throws Exception {
    Process starter = java(temporary, Starter.class.getName());
    ProcessHandle node = ProcessHandle.of(Long.parseLong(starter.inputReader().readLine())).orElseThrow();
    starter.destroyForcibly();
    node.onExit().get(20, TimeUnit.SECONDS);
  }

  private static Process java(Path temporary, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
      "-Djava.io.tmpdir=" + temporary, "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  /** Has a node wait for another one, which never comes, and prints its process. */
  static final class Starter {
    public static void main(String[] arguments) throws Exception {
      ChildProcess node = new GrowingCluster("nio", 1).start(0);
      node.ask("open");
      node.tell("know 2");
      System.out.println(node.pid());
      LockSupport.park();
    }
  }
}
