package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.commands.Stat;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LiveCommandsTest {
  private final String group = UUID.randomUUID().toString();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private Vertx vertx;
  private Rdma rdma;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    rdma = Rdma.create(vertx, new RdmaOptions().setFabric("nio")
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(group)));
    Membership.await(rdma.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    Membership.await(rdma.createRegion(new RegionOptions().setName("table").setSize(8192).setAccess(RegionAccess.READ)));
  }

  @AfterEach
  void stop() {
    Membership.await(vertx.close());
  }

  private String printed() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private void until(String what, Predicate<String> condition) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.test(printed())) {
      assertTrue(System.nanoTime() < end, () -> "waited in vain for " + what + " in:\n" + printed());
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void pingReportsEachFabricAndWhichTcpPortsAreReachable() {
    assertEquals(0, new PingCommand(out).run(Line.ping("echo", "--count", "50", "--group", group)));
    for (String expected : List.of("nio +50( +[0-9.]+ µs){5}", "control +[0-9.]+:[0-9]+ +reachable *",
      "nio +[0-9.]+:[0-9]+ +reachable *")) {
      assertTrue(printed().lines().anyMatch(line -> line.matches(expected)), printed());
    }
    bytes.reset();
    assertEquals(0, new PingCommand(out).run(Line.ping("echo", "--count", "5", "--json", "--fabric", "nio", "--group", group)));
    JsonObject json = new JsonObject(printed());
    assertEquals(5, json.getJsonArray("reports").getJsonObject(0).getJsonArray("nanos").size());
    assertEquals("nio", json.getJsonArray("reports").getJsonObject(0).getString("device"));
    json.getJsonArray("ports").forEach(port -> assertEquals("reachable", ((JsonObject) port).getString("answer"), printed()));
  }

  @Test
  @Tag("long")
  @Timeout(300)
  void pingGoesOnForAsLongAsAnswersCome() {
    Vertx slow = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setBlockedThreadCheckInterval(60_000));
    try {
      Rdma busy = Rdma.create(slow, new RdmaOptions().setFabric("nio")
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(group)));
      Membership.await(busy.createServer().connectHandler(c -> {}).listen("slow"));
      slow.setPeriodic(1, id -> LockSupport.parkNanos(250_000_000));
      assertEquals(0, new PingCommand(out).run(Line.ping("slow", "--count", "300", "--fabric", "nio", "--group", group)), printed());
      assertTrue(printed().lines().anyMatch(line -> line.matches("nio +300( +[0-9.]+ µs){5}")), printed());
    } finally {
      Membership.await(slow.close());
    }
  }

  @Test
  void pingOverAMissingFabricNamesIt() {
    CommandException none = assertThrows(CommandException.class, () -> new PingCommand(out).run(Line.ping("echo", "--fabric", "nosuch",
      "--group", group)));
    assertEquals("this side has no device or fabric 'nosuch'; ./rdma info lists those that it has", none.getMessage());
    assertEquals("", printed());
    assertThrows(CommandException.class,
      () -> new PingCommand(out).run(Line.ping("echo", "--fabric", "nosuch", "--json", "--group", group)));
    assertEquals(new JsonObject().put("reports", new JsonArray()).put("ports", new JsonArray()), new JsonObject(printed()));
  }

  @Test
  void pingFailsForAnUnknownName() {
    CommandException nobody = assertThrows(CommandException.class, () -> new PingCommand(out).run(Line.ping("nobody", "--group", group)));
    assertEquals("no service and no node has the name 'nobody' in the same-host directory, which contains the nodes "
      + Membership.await(rdma.directory()).nodeId()
      + " and the services echo; this command looked for processes of this user on this host, in group '"
      + group + "' and in no cluster; for a cluster add --cluster HOST:PORT", nobody.getMessage());
    assertThrows(CommandException.class, () -> new PingCommand(out).run(Line.ping("nobody", "--group", group + "-empty", "--json")));
    assertEquals(new JsonObject().put("reports", new JsonArray()).put("ports", new JsonArray()), new JsonObject(printed()));
  }

  private String statHas(String... words) {
    String pid = Long.toString(ProcessHandle.current().pid());
    long end = System.nanoTime() + 20_000_000_000L;
    do {
      bytes.reset();
      try {
        new StatCommand(out, false).run(Line.stat(pid, "--once"));
      } catch (CommandException e) {
        out.println(e.getMessage());
      }
    } while (!List.of(words).stream().allMatch(printed()::contains) && System.nanoTime() < end);
    return pid;
  }

  @Test
  void statReadsAProcessFromOutside() {
    NodeEntry self = Membership.await(rdma.directory()).self();
    String id = self.nodeId();
    String pid = statHas(id, "table");
    assertTrue(
      printed().contains("node " + self.name() + "  " + id + "  version " + self.version() + "  pid " + pid + "  directory same-host"),
      printed());
    assertTrue(printed().lines().anyMatch(line -> line.matches("table +8 KiB +none")), printed());
    bytes.reset();
    assertEquals(0, new StatCommand(out, false).run(Line.stat(pid, "--once", "--json")));
    assertTrue(new JsonArray(printed()).stream().anyMatch(node -> ((JsonObject) node).getString("nodeId").equals(id)), printed());
  }

  /** The file may have the text of any process that writes to the folder. */
  @Test
  void statPrintsNoControlCharactersOfFile() throws Exception {
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    node.getJsonArray("errors").add("one");
    String pid = Long.toString(ProcessHandle.current().pid());
    try (PublishedStatistics file = PublishedStatistics.create()) {
      file.write(node.encode().replaceAll("(?<=[:,\\[])\"[^\"]*\"(?=[,}\\]])",
        "\"forged \\\\u001b]0;owned\\\\u0007\\\\u009b31m\\\\n\\\\u202e\\\\u2028" + "x".repeat(5000) + '"'));
      for (Stat command : List.of(Line.stat(pid, "--once"), Line.stat(pid, "--once", "--json"))) {
        bytes.reset();
        assertEquals(0, new StatCommand(out, false).run(command));
        assertTrue(printed().contains("forged"), printed());
        printed().lines().forEach(line -> assertTrue(PeerText.isPrintable(line) && !line.contains("x".repeat(2 * PeerText.MOST)), line));
      }
    }
  }

  private static String text(JsonObject json) {
    NodeStatistics node = RecordJson.read(NodeStatistics.class, json);
    return StatText.of(node, node, 80);
  }

  @Test
  void statCountsConnectionsThatItDoesNotList() {
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    node.getJsonArray("devices").getJsonObject(0).put("connectionCount", 300);
    String text = text(node);
    assertTrue(text.lines().anyMatch(line -> line.matches("nio +\\d+ +300 .*")) && text.contains("\nand 300 more connections\n"), text);
    node.getJsonArray("devices").forEach(device -> ((JsonObject) device).remove("connectionCount"));
    assertTrue(text(node).contains("\nno connections\n"));
  }

  @Test
  void statHasNamesVersionsAndEndsOfPeers() {
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    String id = "5e12fb67-0000-4000-8000-000000000000";
    node.getJsonArray("peers").clear().add(new JsonObject().put("nodeId", id).put("name", "orders-7").put("version", "9.8.7"));
    node.getJsonArray("devices").getJsonObject(0).getJsonArray("connections").add(new JsonObject().put("peer", id).put("service", "echo"));
    node.getJsonArray("regions").getJsonObject(0).getJsonArray("holders").add(id);
    node.put("refused", 2).put("refusals", new JsonArray().add(new JsonObject().put("reason", "not-authentic").put("count", 2)))
      .put("ended", new JsonObject().put("orderly", 3).put("unreachable", 1));
    String text = text(node);
    assertTrue(text.contains("refused 2 (not-authentic 2)\nnodes that ended in order 3  crashed 0  became unreachable 1\n"
      + "1 node has version 9.8.7\n"), text);
    assertTrue(text.contains("\norders-7 (5e12fb67), version 9.8.7  nio "), text);
    assertTrue(text.lines().anyMatch(line -> line.matches("table +8 KiB +orders-7 \\(5e12fb67\\)")), text);
  }

  @Test
  void statHasTheCountersOfAdaptersThatAreNotZero() {
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    assertFalse(text(node).contains("ADAPTER"));
    node.put("adapters", new JsonArray().add(new JsonObject().put("device", "verbs:mlx5_0").put("counters", new JsonArray()
      .add(new JsonObject().put("name", "out_of_sequence").put("value", 3))
      .add(new JsonObject().put("name", "rnr_nak_retry_err").put("value", 0)))));
    NodeStatistics before = RecordJson.read(NodeStatistics.class, node);
    node.put("timeMillis", before.timeMillis() + 2000).getJsonArray("adapters").getJsonObject(0).getJsonArray("counters").getJsonObject(0)
      .put("value", 7);
    String text = StatText.of(before, RecordJson.read(NodeStatistics.class, node), 80);
    assertTrue(text.contains("\nADAPTER       COUNTER          VALUE\nverbs:mlx5_0  out_of_sequence  7\n"), text);
    assertFalse(text.contains("rnr_nak_retry_err"), text);
  }

  @Test
  void statHasTheWayToEachPeerAndConnectionsByTcp() {
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    assertFalse(text(node).contains("BUS AND STREAMS TO"));
    node.getJsonArray("ways")
      .add(new JsonObject().put("nodeId", "p").put("name", "Orders").put("address", "10.0.0.2:9000").put("way", "TCP")
        .put("reason", "no-library").put("why", "the peer's event bus does not use vertx-rdma"));
    node.put("tcpConnections", new JsonArray().add(new JsonObject().put("reason", "no-library").put("count", 2))
      .add(new JsonObject().put("reason", "not-reached").put("count", 0)));
    String text = text(node);
    assertTrue(text.contains("\nBUS AND STREAMS TO  AT             OVER  REASON\nOrders (p)          10.0.0.2:9000  TCP   no-library\n"
      + "connections by TCP: no-library 2\n"), text);
  }

  @Test
  void statSaysWhichProcessesThereAre() {
    CommandException none = assertThrows(CommandException.class, () -> new StatCommand(out, false).run(Line.stat("1", "--once")));
    assertTrue(none.getMessage().startsWith("process 1 has no node whose statistics this user may read"),
      none.getMessage());
    assertEquals("-cp a.jar io.example.Main --node B", StatCommand.end("-cp", "a.jar", "io.example.Main", "--node", "B"));
    assertEquals("…" + "x".repeat(63) + " --a 12", StatCommand.end("-cp", "x".repeat(100), "--a", "12"));
  }

  @Test
  void pageOfTheClusterNeedsTheTokenAndUpdatesItself() throws Exception {
    String id = Membership.await(rdma.directory()).nodeId();
    String pid = statHas(id);
    bytes.reset();
    Thread serving = Thread.ofPlatform().start(() -> new StatCommand(out, false).run(Line.stat(pid, "--page", "0")));
    try {
      until("the URL", text -> text.contains(" until the process ends"));
      URI url = URI.create(printed().replaceFirst("(?s).* is at (http:\\S+) .*", "$1"));
      assertEquals("127.0.0.1", url.getHost());
      HttpURLConnection page = (HttpURLConnection) url.resolve("/").toURL().openConnection();
      page.setRequestProperty("Authorization", "Bearer " + url.getQuery().substring("token=".length()));
      try (InputStream in = page.getInputStream()) {
        assertTrue(new String(in.readAllBytes(), StandardCharsets.UTF_8).contains("new EventSource"));
      }
      for (String wrong : List.of("/", "/?token=00", "/events", "/events?token=")) {
        assertEquals(403, ((HttpURLConnection) url.resolve(wrong).toURL().openConnection()).getResponseCode(), wrong);
      }
      try (BufferedReader events = open(url.resolve("/events?" + url.getQuery()))) {
        assertTrue(events.lines().filter(line -> line.startsWith("data: ")).map(line -> new JsonObject(line.substring("data: ".length())))
          .anyMatch(picture -> has(picture, "nodes", "id", id) && has(picture, "services", "name", "echo")
            && has(picture, "regions", "name", "table")));
      }
    } finally {
      serving.interrupt();
      serving.join();
    }
  }

  private static boolean has(JsonObject picture, String kind, String key, String value) {
    return picture.getJsonArray(kind).stream().anyMatch(each -> value.equals(((JsonObject) each).getString(key)));
  }

  private static BufferedReader open(URI url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setReadTimeout(20_000);
    return new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void textOfOtherNodesCannotControlTheTerminal() {
    JsonObject forged = new JsonObject().put("node", "n1").put("name", "n").put("process", new JsonObject().put("host",
      "h\n12:00:00  node      forged\033[2J\u009b2J"));
    assertThrows(IllegalArgumentException.class, () -> NodeEntry.fromJson(forged));
    Table table = new Table("OVER", "");
    table.row("a\033[31m", "b\nc");
    assertEquals("OVER\na [31m  b c\n", table.toString());
    JsonObject node = Membership.await(rdma.statistics()).toJson();
    node.getJsonArray("errors").add("e\033]0;f\007\ng");
    assertTrue(text(node).endsWith("\n  e\ufffd]0;f\ufffd\ufffdg\n"));
  }

  /** The reader closes the pipe after a line, like {@code head -1}. */
  @Test
  void statEndsWithItsReader() throws Exception {
    String pid = statHas(Membership.await(rdma.directory()).nodeId());
    OutputStream left = OutputStream.nullOutputStream();
    left.close();
    Thread stat = Thread.ofPlatform().daemon().start(() -> new StatCommand(new PrintStream(left), false).run(Line.stat(pid, "--json")));
    assertTrue(stat.join(Duration.ofSeconds(30)), "stat goes on");
  }
}
