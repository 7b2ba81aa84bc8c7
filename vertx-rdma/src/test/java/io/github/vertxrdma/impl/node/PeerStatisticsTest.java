package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statistics that a node sends are short enough not to delay the control connection. */
@Timeout(60)
class PeerStatisticsTest {
  private static final int ENOUGH = 32 << 10;

  private static NodeStatistics node(int connections, int regions) {
    JsonArray links = new JsonArray();
    for (int i = 0; i < connections; i++) {
      links.add(new JsonObject().put("peer", "node-" + i));
    }
    JsonArray shared = new JsonArray();
    for (int i = 0; i < regions; i++) {
      shared.add(new JsonObject().put("name", "region-" + i));
    }
    // Sets all members, as a node does.
    return RecordJson.read(NodeStatistics.class, new JsonObject().put("nodeId", "node").put("regions", shared).put("devices",
      new JsonArray().add(new JsonObject().put("connections", new JsonArray())).add(new JsonObject().put("connections", links))));
  }

  private static NodeStatistics told(NodeStatistics all) {
    Buffer text = PeerStatistics.encode(all, ENOUGH);
    assertTrue(text.length() <= ENOUGH, text.length() + " bytes");
    return RecordJson.read(NodeStatistics.class, text.toJsonObject());
  }

  @Test
  void allOfItIsToldWhereItIsLittle() {
    NodeStatistics some = node(10, 10);
    assertEquals(some, told(some));
  }

  @Test
  void connectionsThenRegionsAreLeftOut() {
    NodeStatistics told = told(node(1000, 10));
    int connections = told.devices().getLast().connections().size();
    assertTrue(connections > 20 && connections < 1000, connections + " connections");
    assertEquals(10, told.regions().size());
    assertEquals("statistics are too long: " + (1000 - connections) + " connections, 0 regions and 0 "
      + "ways are left out",
      told.errors().getLast());
    told = told(node(5, 10_000));
    assertEquals(0, told.devices().getLast().connections().size());
    assertTrue(told.regions().size() > 20, told.regions().size() + " regions");
    assertEquals("statistics are too long: 5 connections, " + (10_000 - told.regions().size()) + " regions and 0 ways are left out",
      told.errors().getLast());
  }

  @Test
  void waysAreLeftOutLast() {
    Ways ways = new Ways(System::nanoTime);
    String why = "x".repeat(10_000);
    for (int i = 0; i < Ways.MOST; i++) {
      ways.tcp("node-" + i, "", "10.0.0.2:" + i, TcpReason.KERNEL_SOCKETS, why);
    }
    JsonArray all = new JsonArray();
    ways.now().forEach(way -> all.add(RecordJson.of(way)));
    NodeStatistics told = told(RecordJson.read(NodeStatistics.class, node(5, 5).toJson().put("ways", all)));
    assertTrue(told.ways().size() > 20 && told.ways().size() < Ways.MOST, told.ways().size() + " ways");
    assertEquals("statistics are too long: 5 connections, 5 regions and " + (Ways.MOST - told.ways().size()) + " ways are left out",
      told.errors().getLast());
  }
}
