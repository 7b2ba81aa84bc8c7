package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.FixedPorts;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the command with its processes. Does not check figures. */
@Timeout(300)
class PerfCommandTest {
  private static final List<String> FIELDS = List.of("mode", "fabric", "size", "connections", "window", "p50_us", "p90_us", "p99_us",
    "msgs_per_s", "mib_per_s", "cpu_us", "peer", "peer_p50_us", "peer_p90_us", "peer_p99_us", "peer_msgs_per_s", "peer_mib_per_s",
    "peer_cpu_us", "ratio", "mean_ratio", "p50_ratio", "p90_ratio", "p99_ratio", "cpu_ratio");

  private static final List<String> JVM_OPTIONS = List.of("perf.jvm.server", "perf.jvm.client");

  /** Makes measured processes start faster, and run slower, than those of a user. */
  @BeforeAll
  static void useQuickJvms() {
    JVM_OPTIONS.forEach(property -> System.setProperty(property, "-Xms64m -XX:TieredStopAtLevel=1"));
  }

  @AfterAll
  static void useUsualJvms() {
    JVM_OPTIONS.forEach(System::clearProperty);
  }

  private static List<JsonObject> rows(String... arguments) {
    List<String> all = new ArrayList<>(List.of("perf"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--json", "--runs", "1", "--seconds", "0.05", "--warm-up", "0.05"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(0, PerfMain.run(all, new PrintStream(out, true, StandardCharsets.UTF_8)));
    return out.toString(StandardCharsets.UTF_8).lines().map(JsonObject::new).toList();
  }

  @Test
  @Tag("full")
  void functionsHaveARowForEachWorkerAndSize() {
    List<JsonObject> rows = rows("call", "function", "--worker", "warm", "--fabric", "nio", "--size", "1,4k", "--against", "send");
    List<String> fields = new ArrayList<>(FIELDS);
    fields.addAll(1, List.of("kind", "worker"));
    assertEquals(2, rows.size());
    assertEquals(fields, List.copyOf(rows.getLast().fieldNames()));
    assertEquals("function warm 4096 send", Stream.of("kind", "worker", "size", "peer").map(rows.getLast()::getValue).map(String::valueOf)
      .collect(Collectors.joining(" ")));
  }

  @Test
  @Tag("full")
  void connectionsOfANetClientHaveRowsBesideTcp() {
    JsonObject row = rows("connect", "stream", "--fabric", "shm", "--against", "tcp").getFirst();
    assertEquals("tcp", row.getString("peer"));
    assertTrue(row.getDouble("p50_us") > 0 && row.getDouble("ratio") > 0, row.encode());
  }

  @Test
  @Tag("full")
  void latencyHasARowForEachSizeAndPeer() {
    List<JsonObject> rows = rows("latency", "--fabric", "nio", "--size", "64,4k", "--against", "tcp");
    assertEquals(2, rows.size());
    for (JsonObject row : rows) {
      assertEquals(FIELDS, List.copyOf(row.fieldNames()));
      assertEquals("tcp", row.getString("peer"));
      assertTrue(row.getDouble("p50_us") > 0 && row.getDouble("ratio") > 0, row.encode());
    }
  }

  @Test
  @Tag("alone")
  @Tag("full")
  void pacedRequestsAreJudgedByTheirMedian() {
    JsonObject row = rows("bus", "--fabric", "nio", "--every", "10", "--against", "tcp").getFirst();
    assertEquals(10, row.getInteger("every_ms"));
    assertTrue(row.getDouble("msgs_per_s") < 110 && row.getDouble("peer_msgs_per_s") < 110, row.encode());
    assertEquals(row.getValue("p50_ratio"), row.getValue("ratio"), row.encode());
  }

  @Test
  @Tag("full")
  void pingReportsSecondsOfNewProcessesBesideBusy() {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream before = System.err;
    List<JsonObject> rows;
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      rows = rows("ping", "--fabric", "nio", "--against", "busy,tcp");
    } finally {
      System.setErr(before);
    }
    // A contender whose only second had much stolen time has an error line instead of a row.
    String left = errors.toString(StandardCharsets.UTF_8);
    assertEquals(
      Stream.of("adaptive", "busy", "tcp").filter(name -> !left.contains("no second of " + name + " counts: 1 were left out")).toList(),
      rows.stream().map(row -> row.getString("contender")).toList(), left);
    for (JsonObject row : rows) {
      assertEquals(1, row.getInteger("seconds") + row.getInteger("left_out"), row.encode());
    }
  }

  @Test
  @Tag("full")
  void clientMeasuresServerOfAnotherHostAndServerEndsWithIt() throws Exception {
    String address = "127.0.0.1:" + FixedPorts.free(1);
    CompletableFuture<Integer> served = CompletableFuture.supplyAsync(
      () -> PerfMain.run(List.of("perf", "regions", "notify", "--fabric", "nio", "--serve", address), System.out));
    JsonObject row = rows("regions", "notify", "--fabric", "nio", "--option", "host=127.0.0.1", "--to", address).getFirst();
    assertEquals("notify", row.getString("kind"));
    assertTrue(row.getDouble("p50_us") > 0, row.encode());
    assertEquals(null, row.getString("peer"));
    assertEquals(0, served.get(60, TimeUnit.SECONDS));
  }

  @Test
  @Tag("full")
  void startIsTimedUntilTheFirstAnswer() {
    JsonObject row = rows("start", "--fabric", "nio").getFirst();
    assertTrue(row.getDouble("p50_us") > 0, row.encode());
    assertEquals(null, row.getValue("p99_us"));
  }

  @Test
  @Tag("full")
  void idleNodesHaveARowForEachContender() {
    List<JsonObject> rows = rows("start", "idle", "--against", "tcp");
    assertEquals(List.of("ours", "tcp"), rows.stream().map(row -> row.getString("contender")).toList());
    for (JsonObject row : rows) {
      assertTrue(row.getDouble("threads") > 5 && row.getDouble("resident_mib") > 20 && row.getDouble("descriptors") > 3, row.encode());
    }
  }

  @Test
  @Tag("full")
  void missingPeerIsSkipped() {
    JsonObject row = rows("rate", "--fabric", "nio", "--against", "c").getFirst();
    assertNotNull(row.getValue("msgs_per_s"));
    assertEquals(null, row.getString("peer"));
  }

  @Test
  void missingFabricIsAnErrorInOneLine() {
    assertEquals(1, PerfMain.run(List.of("perf", "latency", "--fabric", "nowhere", "--runs", "1"), System.out));
    assertEquals(2, PerfMain.run(List.of("perf", "swim"), System.out));
  }
}
