package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.peers.DirectoryCache;
import io.github.vertxrdma.provider.Device.Reach;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The directory of a cluster of 1,000 members at one of them, beside Hazelcast's own data. */
@Timeout(120)
class ManyMembersTest {
  private static final int MEMBERS = 1000;
  /** Bytes for each known member that is not in use: its node and one endpoint on three fabrics. */
  private static final int MOST_BYTES = 2048;
  /** Other threads of this process may use the heap meanwhile: the minimum counts. */
  private static final int ROUNDS = 3;

  private final DirectoryCache cache = new DirectoryCache();
  private final MapMirror mirror = new MapMirror(cache, "self", () -> {}, 1_000, System::nanoTime);
  private final List<UUID> members = new ArrayList<>();

  private static FabricAddress address(String fabric, Reach reach, String subnet, EndpointAddress address) {
    return new FabricAddress(fabric, fabric, 0, address, reach, subnet);
  }

  private static EndpointAddress port(int port) {
    return EndpointAddress.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private Map<String, byte[]> map() {
    members.clear();
    Map<String, byte[]> map = new LinkedHashMap<>();
    for (int i = 0; i < MEMBERS; i++) {
      UUID member = new UUID(i, i);
      members.add(member);
      NodeEntry node = NodeEntry.local(member.toString(), i + 1).withControl("127.0.0.1", 10_000 + i).withSecretId("4d96681cb3c43bfc");
      ServiceEntry service = new ServiceEntry("orders", node.nodeId(), node.epoch(), 0, List.of(
        address("shm", Reach.HOST, "folder fe00:20c06e", EndpointAddress.of("8720-e76393077bc1")),
        address("tcp", Reach.NETWORK, "", port(20_000 + i)), address("nio", Reach.NETWORK, "", port(30_000 + i))), new JsonObject());
      map.put(node.key(), new Stored(member, false, 30_000, 0, node).toBytes());
      map.put(service.key(), new Stored(member, false, 30_000, 0, service).toBytes());
    }
    return map;
  }

  private void read() {
    mirror.begin();
    mirror.apply(map().entrySet());
  }

  /** Bytes in use; the serial collector leaves no gaps behind in one of four collections. */
  private static long heap() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Test
  void aKnownMemberTakesLessThanTwoKibibytes() {
    long each = Long.MAX_VALUE;
    for (int i = 0; i < ROUNDS; i++) {
      long before = heap();
      read();
      each = Math.min(each, (heap() - before) / MEMBERS);
      assertEquals(MEMBERS, cache.all(NodeEntry.class).size());
      assertEquals(MEMBERS, cache.services("orders").size());
      mirror.mapCleared(null);
      assertEquals(List.of(), cache.all(NodeEntry.class));
    }
    System.out.println("directory: " + each + " bytes for each of " + MEMBERS + " members");
    assertTrue(each <= MOST_BYTES, each + " bytes");
  }

  @Test
  void lossAndReturnOfAMemberCauseEventsForItsEntriesOnly() {
    read();
    List<DirectoryEvent> events = new ArrayList<>();
    cache.addListener(events::add);
    events.clear();
    UUID gone = members.get(500);
    mirror.memberGone(gone);
    assertEquals(List.of("REMOVED e/" + gone + "/0/orders", "REMOVED n/" + gone), words(events));
    events.clear();
    mirror.membersBack(List.of(gone));
    read();
    assertEquals(List.of("ADDED n/" + gone, "ADDED e/" + gone + "/0/orders"), words(events));
    events.clear();
    read();
    assertEquals(List.of(), events);
  }

  private static List<String> words(List<DirectoryEvent> events) {
    return events.stream().map(event -> event.type() + " " + event.entry().key()).toList();
  }
}
