package io.github.vertxrdma.page.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.github.vertxrdma.statistics.Traffic;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class PictureTest {
  private static final String SELF = "node-a";
  private static final String PEER = "node-b";
  private static final int MANY = 50_000;
  private static final int SHOWN = 1_000;
  private static final long OLD = 1_000_000_000;

  private final NodeFigures node = new NodeFigures();

  private static Traffic traffic(long messages) {
    return new Traffic(messages, 0, 10 * messages, 0, 0, 0, 0, 0, 0);
  }

  private static ConnectionStatistics connection(String address, long messages) {
    return new ConnectionStatistics(PEER, address, "echo", true, true, traffic(messages), 0, 0, 0, 0, 0, 0, -1);
  }

  private static DeviceStatistics device(int connections, ConnectionStatistics... told) {
    return new DeviceStatistics("nio", "nio", "tcp", EndpointType.MSG, "loop-0", traffic(0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      Latencies.NONE, Latencies.NONE, connections, 0, List.of(told));
  }

  private void tells(long millis, List<DeviceStatistics> devices, List<RegionStatistics> regions) {
    NodeStatistics statistics = new NodeStatistics(SELF, "", "", 1, millis, "test", List.of(SELF), List.of(), List.of(), 0, 0, List.of(),
      new EndedNodes(0, 0, 0, List.of()), devices, List.of(), regions,
      List.of(new PeerWay(PEER, "", "10.0.0.2:9000", PeerWay.TCP, "no-library", "because")), List.of(), List.of());
    node.entry(NodeEntry.local(SELF, 1));
    node.ask(new FigureSource() {
      @Override
      public Future<Entries> entries() {
        throw new UnsupportedOperationException();
      }

      @Override
      public Future<NodeStatistics> statistics(NodeEntry asked) {
        return Future.succeededFuture(statistics);
      }
    });
  }

  private JsonObject picture(List<RegionEntry> regions) {
    FigureSource.Entries entries = new FigureSource.Entries("test", SELF, List.of(node.entry()), List.of(), regions);
    return new Picture(entries, Map.of(SELF, node), new ChartHistory(), 1_000).json();
  }

  /** The link to the peer after two answers of a device, a second apart. */
  private JsonObject link(DeviceStatistics before, DeviceStatistics now) {
    tells(1_000, before == null ? List.of() : List.of(before), List.of());
    tells(2_000, List.of(now), List.of());
    return picture(List.of()).getJsonArray("links").getJsonObject(0);
  }

  private static RegionEntry entry(String name) {
    return new RegionEntry(name, SELF, 1, 1, 64, Set.of(RegionAccess.READ), 0, RegionEntry.NONE, List.of());
  }

  @Test
  void nodeHasItsNameAndVersion() {
    tells(1_000, List.of(), List.of());
    NodeEntry entry = node.entry().withName("Orders-4711");
    node.entry(entry);
    JsonObject shown = picture(List.of()).getJsonArray("nodes").getJsonObject(0);
    assertEquals(List.of(SELF, "Orders-4711", entry.version()),
      List.of(shown.getString("id"), shown.getString("name"), shown.getString("version")));
  }

  @Test
  void someOfManyRegionsAreShownAndAllAreCounted() {
    List<RegionEntry> entries = new ArrayList<>();
    List<RegionStatistics> told = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      String name = "a region whose name is as long as those of the others, number " + (MANY + i);
      entries.add(entry(name));
      told.add(new RegionStatistics(name, 64, List.of(PEER)));
    }
    tells(1_000, List.of(), told);
    JsonObject picture = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> picture(entries));
    JsonArray regions = picture.getJsonArray("regions");
    assertEquals(SHOWN, regions.size());
    assertEquals(MANY, picture.getInteger("regionCount"));
    assertEquals(new JsonArray().add(PEER), regions.getJsonObject(SHOWN - 1).getJsonArray("holders"));
    JsonArray without = picture(List.of()).getJsonArray("regions");
    assertEquals(SHOWN, without.size(), "without a directory");
  }

  @Test
  void aRegionIsShownOnceWithAllThatHoldIt() {
    tells(1_000, List.of(), List.of(new RegionStatistics("table", 64, List.of(PEER, "node-c")),
      new RegionStatistics("table", 64, List.of(PEER, "node-d")), new RegionStatistics("", 8, List.of(PEER)),
      new RegionStatistics("", 9, List.of())));
    JsonObject picture = picture(List.of(entry("table"), entry("unheld")));
    JsonArray regions = picture.getJsonArray("regions");
    assertEquals(4, regions.size());
    assertEquals(4, picture.getInteger("regionCount"));
    assertEquals(new JsonArray().add(PEER).add("node-c").add("node-d"), regions.getJsonObject(0).getJsonArray("holders"));
    assertEquals(new JsonArray(), regions.getJsonObject(1).getJsonArray("holders"));
    assertEquals(9, regions.getJsonObject(3).getLong("size"));
  }

  @Test
  void nodeHasItsWaysToPeers() {
    tells(1_000, List.of(), List.of());
    assertEquals(new JsonArray().add(new JsonObject().put("nodeId", PEER).put("name", "").put("address", "10.0.0.2:9000").put("way", "TCP")
      .put("reason", "no-library").put("why", "because")), picture(List.of()).getJsonArray("nodes").getJsonObject(0).getJsonArray("ways"));
  }

  @Test
  void aConnectionThatWasLeftOutBeforeDoesNotCountFromItsBeginning() {
    JsonObject link = link(device(2, connection("b:1", 100)), device(2, connection("b:1", 150), connection("b:2", OLD)));
    assertEquals(50, link.getDouble("there"));
    assertEquals(500, link.getDouble("bytesThere"));
    assertEquals(2, link.getInteger("connections"));
  }

  @Test
  void aConnectionThatIsLeftOutNowTakesNothingFromTheOthers() {
    JsonObject link = link(device(2, connection("b:1", 100), connection("b:2", OLD)), device(2, connection("b:1", 150)));
    assertEquals(50, link.getDouble("there"));
  }

  @Test
  void connectionsThatAreAlikeAreComparedInTheirOrder() {
    JsonObject link = link(device(3, connection("b:1", 100), connection("b:1", 200)),
      device(3, connection("b:1", 110), connection("b:1", 205), connection("b:1", OLD)));
    assertEquals(15, link.getDouble("there"), "one more is told of");
    link = link(device(3, connection("b:1", 100), connection("b:1", OLD)), device(3, connection("b:1", 130)));
    assertEquals(30, link.getDouble("there"), "one less is told of");
    link = link(device(2, connection("b:1", 5), connection("b:1", OLD)), device(1, connection("b:1", OLD + 1)));
    assertEquals(0, link.getDouble("there"), "one has ended");
  }

  @Test
  void aNewConnectionCountsFromItsBeginning() {
    JsonObject link = link(device(1, connection("b:1", 100)), device(2, connection("b:1", 150), connection("b:2", 7)));
    assertEquals(57, link.getDouble("there"));
    assertEquals(7, link(null, device(1, connection("b:1", 7))).getDouble("there"), "its device was not in use");
  }
}
