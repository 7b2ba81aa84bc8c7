package io.github.vertxrdma.impl.directory;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.EndpointEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DirectoryCacheTest {
  private final DirectoryCache cache = new DirectoryCache();
  private final List<String> events = new ArrayList<>();

  private static NodeEntry node(String id, long epoch) {
    return NodeEntry.local(id, epoch);
  }

  private static EndpointEntry endpoint(String name, String node, long epoch, int instance) {
    return new EndpointEntry(name, node, epoch, instance, List.of(), new JsonObject());
  }

  private static RegionEntry region(String name, String node, long epoch, long id) {
    return new RegionEntry(name, node, epoch, id, 8, Set.of(), 0, RegionEntry.NONE, List.of());
  }

  private void listen() {
    cache.addListener(this::record);
  }

  private void record(DirectoryEvent event) {
    events.add(event.type() + " " + event.entry().key() + " " + event.entry().epoch());
  }

  private void assertEvents(String... expected) {
    assertEquals(List.of(expected), events);
    events.clear();
  }

  @Test
  void entriesAreSeenWithTheirNode() {
    listen();
    cache.put(endpoint("orders", "a", 1, 0));
    cache.put(region("table", "a", 1, 5));
    assertTrue(cache.endpoints("orders").isEmpty());
    assertTrue(cache.region("table").isEmpty());
    cache.put(node("a", 1));
    assertEvents("ADDED n/a 1", "ADDED e/a/0/orders 1", "ADDED r/table 1");
    assertEquals(1, cache.endpoints("orders").size());
    cache.remove("n/a");
    assertEvents("REMOVED e/a/0/orders 1", "REMOVED r/table 1", "REMOVED n/a 1");
    assertTrue(cache.endpoints("orders").isEmpty());
  }

  @Test
  void anotherEpochEndsThePast() {
    cache.put(node("a", 1));
    cache.put(endpoint("orders", "a", 1, 0));
    listen();
    events.clear();
    cache.put(node("a", 2));
    assertEvents("REMOVED e/a/0/orders 1", "REMOVED n/a 1", "ADDED n/a 2");
    cache.put(endpoint("orders", "a", 1, 0));
    assertTrue(cache.endpoints("orders").isEmpty(), "an entry of an old epoch is ignored");
    cache.put(endpoint("orders", "a", 2, 0));
    assertEvents("ADDED e/a/0/orders 2");
  }

  @Test
  void theDeadStayDead() {
    cache.put(node("a", 1));
    cache.put(endpoint("orders", "a", 1, 0));
    cache.put(node("b", 1));
    cache.declareDead("a", 1);
    cache.put(node("a", 1));
    assertEquals(List.of(node("b", 1)), cache.all(NodeEntry.class));
    cache.put(node("a", 2));
    assertEquals(2, cache.all(NodeEntry.class).size());
    cache.declareDead("a", 1);
    assertEquals(2, cache.all(NodeEntry.class).size(), "the death of an old epoch does not touch the new one");
  }

  @Test
  void changesAreToldOnce() {
    cache.put(node("a", 1));
    cache.put(node("b", 1));
    cache.put(region("table", "a", 1, 5));
    listen();
    assertEvents("ADDED n/a 1", "ADDED n/b 1", "ADDED r/table 1");
    cache.put(region("table", "a", 1, 5));
    assertEvents();
    cache.put(region("table", "a", 1, 5).withKeys(1, List.of()));
    assertEvents("CHANGED r/table 1");
    cache.put(region("table", "b", 1, 6));
    assertEvents("REMOVED r/table 1", "ADDED r/table 1");
    cache.put(endpoint("x", "a", 1, 1));
    cache.put(endpoint("x", "b", 1, 0));
    assertEquals(2, cache.endpoints("x").size());
    events.clear();
    cache.removeNode("b");
    assertEvents("REMOVED e/b/0/x 1", "REMOVED r/table 1", "REMOVED n/b 1");
  }

  @Test
  void aNewPictureReplacesTheOld() {
    List<DirectoryEntry> before = List.of(endpoint("x", "a", 1, 1), node("a", 1), node("b", 1));
    cache.replaceAll(before);
    listen();
    events.clear();
    cache.replaceAll(before);
    assertEvents();
    cache.replaceAll(List.of(node("a", 1), region("t", "a", 1, 1)));
    assertEvents("REMOVED e/a/1/x 1", "REMOVED n/b 1", "ADDED r/t 1");
  }
}
