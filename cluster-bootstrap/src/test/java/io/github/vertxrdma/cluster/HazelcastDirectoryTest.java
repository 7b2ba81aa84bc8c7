package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.region;
import static io.github.vertxrdma.cluster.Clusters.service;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class HazelcastDirectoryTest extends MembersFixture {
  /** No test lasts long enough for a renewal. */
  private static final int LONG_LEASE = 600_000;

  @Test
  void nodesSeeEachOthersEntriesUntilTheyAreWithdrawn() throws Exception {
    DirectoryBackend a = directory(member());
    DirectoryBackend b = directory(member());
    assertEquals("hazelcast", a.type());
    List<String> events = new CopyOnWriteArrayList<>();
    b.watch(event -> events.add(event.type() + " " + event.entry().key()));
    Future<?> waiting = b.awaitRegion("table", Duration.ofSeconds(30));
    await(a.publish(service(a, "orders")));
    await(a.publish(region(a, "table", 1)));
    await(waiting);
    assertEquals(a.nodeId(), await(b.awaitServices("orders", Duration.ofSeconds(30))).getFirst().nodeId());
    await(a.publish(region(a, "table", 1).withKeys(1, List.of())));
    until("the change is seen", () -> b.region("table").orElseThrow().generation() == 1);
    await(a.withdraw(service(a, "orders")));
    until("the service is gone", () -> b.services("orders").isEmpty());
    await(a.close());
    until("the node is gone", () -> b.node(a.nodeId()).isEmpty());
    until("all was told", () -> events.contains("REMOVED n/" + a.nodeId()));
    assertTrue(events.containsAll(List.of("ADDED e/" + a.nodeId() + "/0/orders", "ADDED r/table", "CHANGED r/table", "REMOVED r/table")),
      events.toString());
    await(b.publish(service(b, "late")));
    DirectoryBackend c = directory(member());
    assertEquals(b.nodeId(), c.services("late").getFirst().nodeId());
    assertEquals(2, c.nodes().size());
  }

  @Test
  void entriesAreRemovedWhenTheirMemberIsTerminated() throws Exception {
    DirectoryBackend a = directory(member(), LONG_LEASE);
    DirectoryBackend b = directory(member(), LONG_LEASE);
    DirectoryBackend c = directory(member(), LONG_LEASE);
    await(a.publish(service(a, "orders")));
    await(a.publish(region(a, "table", 1)));
    await(b.awaitRegion("table", Duration.ofSeconds(30)));
    await(c.awaitRegion("table", Duration.ofSeconds(30)));
    await(c.awaitServices("orders", Duration.ofSeconds(30)));
    instances.getFirst().getLifecycleService().terminate();
    until("all is gone", () -> b.node(a.nodeId()).isEmpty() && c.node(a.nodeId()).isEmpty() && c.services("orders").isEmpty()
      && b.region("table").isEmpty());
    await(c.publish(region(c, "table", 2)));
    assertEquals(2, await(b.awaitRegion("table", Duration.ofSeconds(30))).regionId());
    until("b is there", () -> c.node(b.nodeId()).isPresent() && b.node(c.nodeId()).isPresent());
  }

  /** Living nodes store no entries again: each would be an event for all members. */
  @Test
  void deathCausesEventsForEntriesOfTheDeadNodeOnly() throws Exception {
    DirectoryBackend a = directory(member(), LONG_LEASE);
    DirectoryBackend b = directory(member(), LONG_LEASE);
    DirectoryBackend c = directory(member(), LONG_LEASE);
    await(b.publish(service(b, "living")));
    await(c.awaitServices("living", Duration.ofSeconds(30)));
    await(c.awaitNode(a.nodeId(), Duration.ofSeconds(30)));
    until("each entry has a backup", () -> instances.getFirst().getPartitionService().isClusterSafe());
    List<String> stored = updates(instances.get(2));
    instances.getFirst().getLifecycleService().terminate();
    until("it is gone", () -> b.node(a.nodeId()).isEmpty() && c.node(a.nodeId()).isEmpty());
    await(b.publish(service(b, "later")));
    await(c.publish(service(c, "later")));
    until("both are there", () -> c.services("later").size() == 2);
    assertEquals(List.of(), stored);
  }

  @Test
  @Tag("full")
  void entriesAreStoredAgainWhenTheirPartitionWasLost() throws Exception {
    List<DirectoryBackend> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(directory(member(), LONG_LEASE));
    }
    DirectoryBackend living = all.getFirst();
    for (int i = 0; i < 20; i++) {
      await(living.publish(service(living, "orders " + i)));
    }
    List<Thread> ends = instances.subList(1, 3).stream()
      .map(instance -> Thread.ofPlatform().start(instance.getLifecycleService()::terminate)).toList();
    for (Thread end : ends) {
      end.join();
    }
    IMap<String, byte[]> map = instances.getFirst().getMap(MAP);
    until("all is there", () -> living.services().stream().allMatch(service -> map.containsKey(service.key())));
    assertEquals(20, living.services().size());
  }

  @Test
  void aRegionNameHasOneOwner() throws Exception {
    DirectoryBackend a = directory(member());
    DirectoryBackend b = directory(member());
    await(a.publish(region(a, "table", 1)));
    String message = failure(b.publish(region(b, "table", 2))).getMessage();
    assertTrue(message.contains("'table'") && message.contains(a.nodeId()), message);
    await(a.withdraw(region(a, "table", 1)));
    await(b.publish(region(b, "table", 2)));
    assertEquals(2, b.region("table").orElseThrow().regionId());
  }

  @Test
  void aRegionWhoseNameAnotherNodeTookMeanwhileIsLeft() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.cluster.impl.ClusterDirectory")) {
      DirectoryBackend a = directory(member(), 1500);
      DirectoryBackend b = directory(member(), LONG_LEASE);
      await(b.publish(region(b, "table", 2)));
      IMap<String, byte[]> map = instances.getFirst().getMap(MAP);
      byte[] others = map.get("r/table");
      await(b.withdraw(region(b, "table", 2)));
      await(a.publish(region(a, "table", 1)));
      map.set("r/table", others);
      until("it says so", () -> !log.lines().isEmpty());
      List<String> stored = updates(instances.getFirst());
      until("it was renewed twice", () -> Collections.frequency(stored, a.self().key()) >= 2);
      assertEquals(1, log.lines().size(), log.lines().toString());
      assertTrue(log.lines().getFirst().contains("'table'") && log.lines().getFirst().contains(b.nodeId()), log.lines().getFirst());
      await(a.withdraw(region(a, "table", 1)));
      assertArrayEquals(others, map.get("r/table"));
    }
  }

  @Test
  void warningNamesTwoNodesWithOneId() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.cluster.impl.ClusterDirectory")) {
      for (int i = 0; i < 2; i++) {
        DirectoryBackend each = await(HazelcastDirectory.open(vertx, member(), new DirectoryOptions().setNodeId("twin")
          .setLeaseTime(Duration.ofMillis(1500))));
        await(each.publish(each.self()));
      }
      until("both say so",
        () -> log.lines().stream().filter(line -> line.contains("has the same node id as this process, twin")).count() == 2);
    }
  }

  @Test
  void earlierRunOfTheNodeIsNotReported() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.cluster.impl.ClusterDirectory")) {
      IMap<String, byte[]> map = member().getMap(MAP);
      DirectoryOptions options = new DirectoryOptions().setNodeId("again").setLeaseTime(Duration.ofMillis(1500));
      DirectoryBackend before = await(HazelcastDirectory.open(vertx, instances.getFirst(), options));
      await(before.publish(before.self()));
      byte[] left = map.get(before.self().key());
      await(before.close());
      map.set(before.self().key(), left);
      DirectoryBackend now = await(HazelcastDirectory.open(vertx, instances.getFirst(), options));
      await(now.publish(now.self()));
      List<String> stored = updates(instances.getFirst());
      until("it is renewed", () -> stored.contains(now.self().key()));
      assertEquals(List.of(), log.lines());
    }
  }

  @Test
  void ownerRestoresRemovedEntriesAndRenewsItsLease() throws Exception {
    int leaseMillis = 3_000;
    DirectoryBackend a = directory(member(), leaseMillis);
    DirectoryBackend b = directory(member(), leaseMillis);
    await(a.publish(service(a, "orders")));
    await(b.awaitServices("orders", Duration.ofSeconds(30)));
    List<String> events = new CopyOnWriteArrayList<>();
    b.watch(event -> events.add(event.type() + " " + event.entry().key()));
    instances.get(1).getMap(MAP).clear();
    until("it is gone", () -> events.contains("REMOVED " + service(a, "orders").key()));
    until("all is back", () -> !b.services("orders").isEmpty() && b.node(a.nodeId()).isPresent());
    // Expired leases of this length are found once a second, so a lease that is not renewed ends within this time.
    long end = System.nanoTime() + Duration.ofMillis(leaseMillis + 1_000).toNanos();
    until("a lease and a tick have passed", () -> {
      assertFalse(b.services("orders").isEmpty());
      return System.nanoTime() > end;
    });
  }

  @Test
  void renewalWritesOneEntryOnly() throws Exception {
    DirectoryBackend a = directory(member(), 1500);
    DirectoryBackend b = directory(member(), 1500);
    for (int i = 0; i < 10; i++) {
      await(a.publish(service(a, "orders " + i)));
    }
    await(a.publish(region(a, "table", 1)));
    await(b.awaitRegion("table", Duration.ofSeconds(30)));
    List<String> stored = updates(instances.get(1));
    until("four thirds of a lease have passed", () -> Collections.frequency(stored, a.self().key()) >= 4);
    assertTrue(Set.of(a.self().key(), b.self().key()).containsAll(stored), stored.toString());
    // Otherwise a step of Hazelcast's clock would remove entries.
    IMap<String, byte[]> map = instances.get(1).getMap(MAP);
    map.keySet().forEach(key -> assertEquals(Long.MAX_VALUE, map.getEntryView(key).getTtl(), key));
    until("all is there", () -> b.services().size() == 10 && b.region("table").isPresent());
  }

  @Test
  void directoryOutlivesItsOpeningVerticle() throws Exception {
    HazelcastInstance instance = member();
    Promise<DirectoryBackend> opened = Promise.promise();
    String verticle = await(vertx.deployVerticle(context -> HazelcastDirectory.open(vertx, instance, new DirectoryOptions()
      .setLeaseTime(Duration.ofMillis(1500))).onComplete(opened)));
    await(vertx.undeploy(verticle));
    DirectoryBackend a = await(opened.future());
    await(a.publish(a.self()));
    List<String> stored = updates(instance);
    until("it is renewed", () -> stored.contains(a.self().key()));
  }

  @Test
  @Tag("full")
  void entriesWithoutOwnerAreRemoved() throws Exception {
    DirectoryBackend a = directory(member(), 1500);
    IMap<String, byte[]> map = instances.getFirst().getMap(MAP);
    byte[] bytes = map.get(a.self().key());
    await(a.publish(region(a, "table", 1)));
    await(a.publish(service(a, "orders")));
    byte[] region = map.get("r/table");
    byte[] service = map.get(service(a, "orders").key());
    await(a.close());
    until("it has withdrawn all", map::isEmpty);
    map.set(a.self().key(), bytes);
    map.set("r/table", region);
    map.set(service(a, "orders").key(), service);
    DirectoryBackend b = await(HazelcastDirectory.open(vertx, instances.getFirst(),
      new DirectoryOptions().setNodeId("b").setLeaseTime(Duration.ofMillis(1500))));
    await(b.publish(b.self()));
    until("it is seen no more", () -> b.node(a.nodeId()).isEmpty() && b.region("table").isEmpty());
    until("it is gone", () -> map.keySet().equals(Set.of(b.self().key())));
    await(b.publish(service(b, "withdrawn")));
    byte[] withdrawn = map.get(service(b, "withdrawn").key());
    await(b.withdraw(service(b, "withdrawn")));
    map.set(service(b, "withdrawn").key(), withdrawn);
    until("that is gone too", () -> map.keySet().equals(Set.of(b.self().key())));
    assertEquals(List.of(), b.services());
  }

  @Test
  void unusedOptionsAreRefused() throws Exception {
    HazelcastInstance instance = member();
    Map<String, DirectoryOptions> unread = Map.of("members",
      new DirectoryOptions().setSettings(new JsonObject().put("members", new JsonArray())),
      "peers", new DirectoryOptions().addPeer("10.0.0.1:4710"), "entries", new DirectoryOptions().addEntry(NodeEntry.local("other", 1)),
      "path", new DirectoryOptions().setPath("hazelcast.xml"));
    for (Map.Entry<String, DirectoryOptions> each : unread.entrySet()) {
      String told = failure(HazelcastDirectory.open(vertx, instance, each.getValue())).getMessage();
      assertTrue(told.matches(".*" + each.getKey() + "(. Remove them|'; remove that option), or .*"), told);
    }
  }

  @Test
  void errorNamesTheStoppedHazelcastInstance() throws Exception {
    HazelcastInstance instance = member();
    DirectoryBackend a = directory(instance);
    instance.getLifecycleService().terminate();
    assertNotNull(failure(a.publish(service(a, "orders"))));
    assertTrue(failure(HazelcastDirectory.open(vertx, instance, new DirectoryOptions())).getMessage().contains("is not running"));
    await(a.close());
  }

  @Test
  void unreadableEntriesOfDeadMemberAreRemoved() throws Exception {
    DirectoryBackend a = directory(member(), LONG_LEASE);
    DirectoryBackend b = directory(member(), LONG_LEASE);
    IMap<String, byte[]> map = instances.get(1).getMap(MAP);
    for (DirectoryBackend of : List.of(a, b)) {
      byte[] later = map.get(of.self().key());
      // This byte is the version of the entry's format.
      later[29]++;
      map.set("r/of a later version of " + of.nodeId(), later);
    }
    until("each entry has a backup", () -> instances.getFirst().getPartitionService().isClusterSafe());
    instances.getFirst().getLifecycleService().terminate();
    until("what the dead one stored is gone", () -> map.keySet().equals(Set.of(b.self().key(), "r/of a later version of " + b.nodeId())));
  }

  private static final byte[] UNREADABLE = new byte[64];

  @Test
  void unreadableEntryKeepsItsNameAndBlocksNoOther() throws Exception {
    HazelcastInstance instance = member();
    DirectoryBackend directory = await(HazelcastDirectory.open(vertx, instance, new DirectoryOptions()
      .setLeaseTime(Duration.ofMillis(1500))));
    IMap<String, byte[]> map = instance.getMap(MAP);
    map.set("r/taken", UNREADABLE);
    await(directory.publish(directory.self()));
    String refused = failure(directory.publish(region(directory, "taken", 1))).getMessage();
    assertTrue(refused.startsWith("region 'taken' is already shared by node") && refused.contains("Choose another name"), refused);
    await(directory.publish(region(directory, "table", 2)));
    await(directory.publish(service(directory, "orders")));
    map.set("r/table", UNREADABLE);
    String key = service(directory, "orders").key();
    for (int renewals = 0; renewals < 2; renewals++) {
      map.delete(key);
      until("what comes after it is put back", () -> map.containsKey(key));
    }
    await(directory.withdraw(region(directory, "table", 2)));
    assertArrayEquals(UNREADABLE, map.get("r/table"));
  }
}
