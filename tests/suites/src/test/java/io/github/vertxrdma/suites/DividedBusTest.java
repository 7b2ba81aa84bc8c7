package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes in separate networks share memory, as containers of one host do. */
@Tag("full")
@Timeout(300)
class DividedBusTest {
  private static final int NODES = 3;
  private static final int LAST = NODES - 1;
  private static final long CUT_MILLIS = 40_000;
  /** Without back-off a second line would follow in this time. */
  private static final long LATER_MILLIS = 5_000;
  private static final String OVER_SHM = "([0-9.:]+=shm,?){2} .*";
  /** Vert.x also logs lost connections, messages whose write fails twice, and a busy machine. */
  private static final Pattern PROMISED = Pattern
    .compile("INFO ClusterDirectory: Node .* was separated from its Hazelcast cluster and has rejoined; .*"
      + "|WARNING PeerLinks: Node .* is lost: .*|INFO Ways: Connections to .* go over shm .*|WARNING Ways: Connections to .* use TCP: .*"
      + "|SEVERE ConnectionBase: .*( the peer is dead: | disconnected).*|WARNING ClusteredEventBus: Connecting to server .* failed .*"
      + "|SEVERE ContextImpl: .* Promise already completed|WARNING BlockedThreadChecker: .*"
      + "|INFO LinkListener: A connection from .* was not made: .*");

  private final Networks networks = new Networks(NODES);
  private final List<ChildJvm> nodes = new ArrayList<>();
  private Path folder;

  private void start(long connectMillis) throws Exception {
    String missing = networks.missing();
    assumeTrue(missing == null, missing);
    // short, since names of sockets are limited
    folder = Files.createTempDirectory("vr");
    for (int i = 0; i < NODES; i++) {
      JsonObject config = new JsonObject().put("connectTimeout", connectMillis).put("host", Networks.address(i))
        .put("controlPort", BusNode.CONTROL_PORT).put("name", "node" + i);
      Path file = Files.writeString(folder.resolve("node" + i + ".json"), config.encode());
      nodes.add(ChildJvm.startBy(networks.program(i), BusNode.class, Integer.toString(i), Integer.toString(NODES),
        "vertx.rdma.config=" + file, "vertx.rdma.runtime=" + folder.resolve("run")));
    }
    for (ChildJvm node : nodes) {
      node.await("ready");
    }
  }

  @AfterEach
  void stop() throws Exception {
    nodes.forEach(ChildJvm::close);
    networks.close();
    if (folder != null) {
      new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
    }
  }

  private String answer(int node, String question, String answer) throws Exception {
    nodes.get(node).send(question);
    return nodes.get(node).await(answer);
  }

  private void untilAll(String question, String answer, String expected) throws Exception {
    for (int i = 0; i < NODES; i++) {
      untilOne(i, question, answer, expected);
    }
  }

  private void untilOne(int node, String question, String answer, String expected) throws Exception {
    long start = System.nanoTime();
    for (String now = answer(node, question, answer); !now.matches(expected); now = answer(node, question, answer)) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(60)) {
        fail("node " + node + " says " + answer + now + "; " + reports());
      }
      Thread.sleep(200);
    }
  }

  private String reports() throws Exception {
    StringBuilder reports = new StringBuilder();
    for (int i = 0; i < NODES; i++) {
      reports.append("\nnode ").append(i).append(": ").append(answer(i, "ways", "ways "));
      logged(i, 0).forEach(line -> reports.append("\n  ").append(line));
    }
    return reports.toString();
  }

  private List<String> logged(int node, int first) {
    List<String> lines = nodes.get(node).printed("logged ");
    return lines.subList(first, lines.size());
  }

  @Test
  void busReturnsToTheFabricWhenADividedNetworkHeals() throws Exception {
    start(10_000);
    untilAll("ask", "asked ", "0,1,2");
    untilAll("ways", "ways ", OVER_SHM);
    for (ChildJvm node : nodes) {
      node.send("load");
    }
    int[] before = IntStream.range(0, NODES).map(i -> nodes.get(i).printed("logged ").size()).toArray();
    networks.cutOff(LAST);
    Thread.sleep(CUT_MILLIS);
    untilOne(0, "ask", "asked ", "0,1");
    untilOne(LAST, "ask", "asked ", "2");
    networks.join(LAST);
    untilAll("ask", "asked ", "0,1,2");
    untilAll("ways", "ways ", OVER_SHM);
    for (int i = 0; i < NODES; i++) {
      for (String line : logged(i, before[i])) {
        assertTrue(PROMISED.matcher(line).matches(), "node " + i + " has logged " + line);
      }
    }
    assertEquals(1,
      logged(LAST, before[LAST]).stream().filter(line -> line.contains(" was separated from its Hazelcast cluster and has rejoined; "))
        .count());
  }

  /** Only the bus and Hazelcast pass; connections move to a fabric once the peer confirms them over the control connection. */
  @Test
  void firewallBeforeControlPortIsOneWarningWithReasonAndRemedyAndMessagesPass() throws Exception {
    start(2_000);
    networks.firewall(LAST, BusNode.HAZELCAST_PORT, BusNode.BUS_PORT);
    for (ChildJvm node : nodes) {
      node.send("load");
    }
    untilAll("ask", "asked ", "0,1,2");
    untilOne(0, "ways", "ways ", Networks.address(1) + ":\\d+=shm," + Networks.address(LAST) + ":\\d+=TCP .*reason=not-proven.*");
    Thread.sleep(LATER_MILLIS);
    untilAll("ask", "asked ", "0,1,2");
    List<String> warned = logged(0, 0).stream().filter(line -> line.startsWith("WARNING Ways: ")).toList();
    assertEquals(1, warned.size(), warned::toString);
    String control = Networks.address(LAST) + ':' + BusNode.CONTROL_PORT;
    assertTrue(
      warned.getFirst().matches("WARNING Ways: Connections to " + Networks.address(LAST) + ":\\d+ of node node2 .* use TCP: the control "
        + "connection with node .* at " + control + " has not opened within .*\\. Open this port in firewalls between the two nodes"),
      warned::toString);
  }
}
