package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DirectoryCacheTest {
  private final DirectoryCache cache = new DirectoryCache();
  private final List<String> events = new ArrayList<>();

  private static NodeEntry node(String id, long epoch) {
    return NodeEntry.local(id, epoch);
  }

  private static ServiceEntry service(String name, String node, long epoch, int instance) {
    return new ServiceEntry(name, node, epoch, instance, List.of(), new JsonObject());
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
    cache.put(service("orders", "a", 1, 0));
    cache.put(region("table", "a", 1, 5));
    assertTrue(cache.services("orders").isEmpty());
    assertTrue(cache.region("table").isEmpty());
    cache.put(node("a", 1));
    assertEvents("ADDED n/a 1", "ADDED e/a/0/orders 1", "ADDED r/table 1");
    assertEquals(1, cache.services("orders").size());
    cache.remove("n/a");
    assertEvents("REMOVED e/a/0/orders 1", "REMOVED r/table 1", "REMOVED n/a 1");
    assertTrue(cache.services("orders").isEmpty());
  }

  @Test
  void anotherEpochEndsThePast() {
    cache.put(node("a", 1));
    cache.put(service("orders", "a", 1, 0));
    listen();
    events.clear();
    cache.put(node("a", 2));
    assertEvents("REMOVED e/a/0/orders 1", "REMOVED n/a 1", "ADDED n/a 2");
    cache.put(service("orders", "a", 1, 0));
    assertTrue(cache.services("orders").isEmpty(), "an entry of an old epoch is ignored");
    cache.put(service("orders", "a", 2, 0));
    assertEvents("ADDED e/a/0/orders 2");
  }

  @Test
  void theDeadStayDead() {
    cache.put(node("a", 1));
    cache.put(service("orders", "a", 1, 0));
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
  void theOldestDeathIsForgottenWhenTheyAreTooMany() {
    int most = 4096;
    for (int epoch = 0; epoch <= most; epoch++) {
      cache.declareDead("a", epoch);
    }
    cache.put(node("a", 1));
    assertEquals(List.of(), cache.all(NodeEntry.class));
    cache.put(node("a", 0));
    assertEquals(List.of(node("a", 0)), cache.all(NodeEntry.class));
  }

  @Test
  void eachChangeIsReportedOnce() {
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
    cache.put(service("x", "a", 1, 1));
    cache.put(service("x", "b", 1, 0));
    assertEquals(2, cache.services("x").size());
    events.clear();
    cache.removeNode("b", 2);
    assertEvents();
    cache.removeNode("b", 1);
    assertEvents("REMOVED e/b/0/x 1", "REMOVED r/table 1", "REMOVED n/b 1");
  }

  @Test
  void eventsAndLookupsAgreeAfterRandomChanges() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<String, DirectoryEntry> told = new HashMap<>();
    cache.addListener(event -> {
      DirectoryEntry before = switch (event.type()) {
        case ADDED, CHANGED -> told.put(event.entry().key(), event.entry());
        case REMOVED -> told.remove(event.entry().key());
      };
      assertEquals(event.type() == DirectoryEvent.Type.ADDED, before == null, () -> event + " with seed " + seed);
    });
    Map<String, DirectoryEntry> stored = new HashMap<>();
    Set<List<Object>> dead = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String id = "n" + random.nextInt(4);
      long epoch = random.nextInt(50) == 0 ? i : i / 1000;
      DirectoryEntry entry = switch (random.nextInt(3)) {
        case 0 -> node(id, epoch).withControl("h", random.nextInt(3));
        case 1 -> service("e" + random.nextInt(3), id, epoch, random.nextInt(2));
        default -> region("r" + random.nextInt(3), id, epoch, random.nextInt(4));
      };
      switch (random.nextInt(10)) {
        case 0 -> {
          cache.remove(entry.key());
          stored.remove(entry.key());
        }
        case 1 -> {
          cache.removeNode(id, epoch);
          stored.values().removeIf(e -> e.nodeId().equals(id) && e.epoch() == epoch);
        }
        case 2 -> {
          if (random.nextInt(20) == 0) {
            cache.declareDead(id, epoch);
            dead.add(List.of(id, epoch));
            stored.values().removeIf(e -> e.nodeId().equals(id) && e.epoch() == epoch);
          }
        }
        default -> {
          cache.put(entry);
          if (!dead.contains(List.of(id, epoch))) {
            stored.put(entry.key(), entry);
          }
        }
      }
      Map<String, DirectoryEntry> expected = new HashMap<>();
      stored.forEach((key, e) -> {
        DirectoryEntry owner = stored.get("n/" + e.nodeId());
        if (owner != null && owner.epoch() == e.epoch()) {
          expected.put(key, e);
        }
      });
      assertEquals(expected, told, "seed " + seed + " step " + i);
    }
    assertEquals(new HashSet<>(told.values()), new HashSet<>(cache.all(DirectoryEntry.class)));
    for (int e = 0; e < 3; e++) {
      String name = "e" + e;
      assertEquals(told.values().stream().filter(x -> x instanceof ServiceEntry service && service.name().equals(name)).count(),
        cache.services(name).size());
    }
  }

  @Test
  void servicesAreFoundByThePortOfTheirAddress() {
    cache.put(node("a", 1));
    cache.put(node("b", 1));
    assertTrue(cache.servicesAt(8080).isEmpty());
    cache.put(service("tcp/10.0.0.1:8080", "a", 1, 0));
    cache.put(service("tcp/10.0.0.1:8080", "b", 1, 0));
    cache.put(service("tcp/[::1]:8080", "a", 1, 0));
    cache.put(service("8080", "a", 1, 0));
    cache.put(service("orders", "a", 1, 0));
    assertEquals(Set.of("a tcp/10.0.0.1:8080", "b tcp/10.0.0.1:8080", "a tcp/[::1]:8080"),
      cache.servicesAt(8080).stream().map(service -> service.nodeId() + " " + service.name()).collect(Collectors.toSet()));
    assertTrue(cache.servicesAt(80).isEmpty());
    cache.remove("e/a/0/8080");
    cache.put(service("tcp/10.0.0.1:8080", "a", 1, 0));
    cache.remove("e/a/0/tcp/10.0.0.1:8080");
    cache.remove("e/a/0/tcp/[::1]:8080");
    assertFalse(cache.servicesAt(8080).isEmpty());
    cache.remove("n/b");
    assertTrue(cache.servicesAt(8080).isEmpty());
  }
}
