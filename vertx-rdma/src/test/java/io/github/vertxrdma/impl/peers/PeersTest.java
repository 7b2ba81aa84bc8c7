package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.support.Deaths;
import io.github.vertxrdma.impl.support.Ports;
import io.github.vertxrdma.provider.devices.relay.Relay;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are not clustered send each other their entries. */
@Timeout(60)
class PeersTest {
  private static final int MANY = 4_000;
  private static final int LONG = 6_000;
  private static final int ENTRY_BYTES = 64 << 10;
  /** Number of entries above the limit. */
  private static final int BEYOND = 20;
  private static final JsonObject CHANGED = new JsonObject().put("is", "changed");

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  /** A node without devices. */
  private final class Member {
    final DirectoryBackend directory;
    final ControlLinks control;
    final List<String> refused = new CopyOnWriteArrayList<>();

    Member(String nodeId, int port, String... peers) throws Exception {
      this(new DirectoryOptions().setType(DirectoryOptions.STATIC).setNodeId(nodeId).setPeers(List.of(peers)), port);
    }

    Member(DirectoryOptions options, int port) throws Exception {
      directory = await(DirectoryBackend.open(vertx, options));
      control = new ControlLinks(((VertxInternal) vertx).createEventLoopContext(), new ControlSettings("127.0.0.1").withPorts(port, port),
        ClusterSecret.of("the same on all nodes".getBytes()), directory::self)
        .addListener(new Deaths(death -> {
          if (death.certain()) {
            directory.declareDead(death.nodeId(), death.epoch());
          }
        })).refusalHandler((reason, why) -> refused.add(why));
      ((AbstractDirectory) directory).attach(control);
      await(directory.publish(directory.self().withControl("127.0.0.1", await(control.listen()))));
    }

    String address() {
      return "127.0.0.1:" + directory.self().controlPort();
    }

    void publish(String name, int instance) throws Exception {
      await(directory.publish(service(name, instance)));
    }

    ServiceEntry service(String name, int instance) {
      return service(name, instance, new JsonObject());
    }

    ServiceEntry service(String name, int instance, JsonObject metadata) {
      return new ServiceEntry(name, directory.nodeId(), directory.epoch(), instance, List.of(), metadata);
    }

    RegionEntry region(String name) {
      return new RegionEntry(name, directory.nodeId(), directory.epoch(), 1, 8, Set.of(), 0, RegionEntry.NONE, List.of());
    }

    String owner(String region) {
      return directory.region(region).map(RegionEntry::nodeId).orElse("");
    }

    boolean knows(String name, int instances) {
      return directory.services(name).size() == instances;
    }

    void close() throws Exception {
      await(directory.close());
      await(control.close());
    }
  }

  /** A node that sends a member any entries. */
  private final class Liar {
    final NodeEntry self;
    final ControlLinks control;
    final ControlLink link;

    Liar(Member to) throws Exception {
      this(to, "liar");
    }

    Liar(Member to, String nodeId) throws Exception {
      self = NodeEntry.local(nodeId, 7);
      control = new ControlLinks(((VertxInternal) vertx).createEventLoopContext(), new ControlSettings("127.0.0.1"),
        ClusterSecret.of("the same on all nodes".getBytes()), () -> self);
      link = await(control.link(to.directory.self()));
    }

    void tell(DirectoryEntry entry) throws Exception {
      await(link.sendNext(EntrySender.KIND, EntrySender.addition(entry)));
    }

    ServiceEntry service(String name, long epoch, String metadata) {
      return new ServiceEntry(name, self.nodeId(), epoch, 0, List.of(), new JsonObject().put("of", metadata));
    }
  }

  @Test
  void peersTellEachOther() throws Exception {
    Member a = new Member("a", 0);
    a.publish("early", 0);
    Member b = new Member("b", 0, a.address());
    Member c = new Member("c", 0, a.address(), b.address());
    await(b.directory.awaitServices("early", Duration.ofSeconds(20)));
    await(c.directory.awaitServices("early", Duration.ofSeconds(20)));
    b.publish("late", 0);
    c.publish("late", 0);
    b.publish("late", 1);
    until("all know all", () -> a.knows("late", 3) && b.knows("late", 3) && c.knows("late", 3));
    await(b.directory.withdraw(b.service("late", 0)));
    until("all know less", () -> a.knows("late", 2) && c.knows("late", 2));
    await(a.directory.publish(a.region("table")));
    await(b.directory.awaitRegion("table", Duration.ofSeconds(20)));
    assertThrows(Exception.class, () -> await(b.directory.publish(b.region("table"))));
    assertEquals(3, c.directory.nodes().size());
    List<String> events = new CopyOnWriteArrayList<>();
    b.directory.watchNodes(event -> events.add(event.type() + " " + event.entry().nodeId()));
    a.close();
    until("it is gone", () -> b.directory.nodes().size() == 2 && c.directory.nodes().size() == 2);
    assertTrue(b.directory.region("table").isEmpty() && c.knows("early", 0));
    until("it was told", () -> events.contains(DirectoryEvent.Type.REMOVED + " a"));
    b.close();
    c.close();
  }

  /** The second region is not refused: its node does not know of the first. */
  @Test
  void ofTwoRegionsOfOneNameTheFirstIsSeen() throws Exception {
    Member hub = new Member("hub", 0);
    Member a = new Member("a", 0, hub.address());
    Member b = new Member("b", 0, hub.address());
    await(a.directory.publish(a.region("table")));
    await(hub.directory.awaitRegion("table", Duration.ofSeconds(20)));
    await(b.directory.publish(b.region("table")));
    b.publish("after", 0);
    await(hub.directory.awaitServices("after", Duration.ofSeconds(20)));
    assertEquals("a", hub.owner("table"));
    await(a.directory.withdraw(a.region("table")));
    until("the other is seen", () -> hub.owner("table").equals("b"));
    await(a.directory.publish(a.region("table")));
    a.publish("after", 0);
    until("it was told", () -> hub.knows("after", 2));
    assertEquals("b", hub.owner("table"));
    b.close();
    until("that of a is seen again", () -> hub.owner("table").equals("a"));
    a.close();
    hub.close();
  }

  @Test
  void ofRegionsOfOneNameThatOfTheHostIsSeen(@TempDir Path folder) throws Exception {
    String one = folder.resolve("one").toString();
    Member hub = new Member(new DirectoryOptions().setNodeId("hub").setPath(one), 0);
    Member near = new Member(new DirectoryOptions().setNodeId("near").setPath(one), 0);
    Member far = new Member(new DirectoryOptions().setNodeId("far").setPath(folder.resolve("two").toString()).addPeer(hub.address()), 0);
    for (boolean first : new boolean[] {true, false}) {
      await((first ? near : far).directory.publish((first ? near : far).region("table")));
      await(hub.directory.awaitRegion("table", Duration.ofSeconds(20)));
      await((first ? far : near).directory.publish((first ? far : near).region("table")));
      (first ? far : near).publish("after", first ? 1 : 2);
      until("all was told", () -> hub.knows("after", first ? 1 : 2));
      assertEquals("near", hub.owner("table"));
      await(near.directory.withdraw(near.region("table")));
      until("the other is seen", () -> hub.owner("table").equals("far"));
      await(far.directory.withdraw(far.region("table")));
      until("none is seen", () -> hub.owner("table").isEmpty());
    }
    far.close();
    near.close();
    hub.close();
  }

  @Test
  void peersComeToTheProcessesOfAHost(@TempDir Path folder) throws Exception {
    String one = folder.resolve("one").toString();
    Member a = new Member(new DirectoryOptions().setNodeId("a").setPath(one), 0);
    Member near = new Member(new DirectoryOptions().setNodeId("near").setPath(one), 0);
    near.publish("near", 0);
    Member b = new Member(new DirectoryOptions().setNodeId("b").setPath(folder.resolve("two").toString()).addPeer(a.address()), 0);
    b.publish("far", 0);
    await(a.directory.publish(a.region("table")));
    until("each knows what it should",
      () -> a.directory.nodes().size() == 3 && b.knows("near", 0) && a.knows("near", 1) && a.knows("far", 1)
        && b.directory.region("table").isPresent());
    assertThrows(Exception.class, () -> await(b.directory.publish(b.region("table"))));
    near.publish("near", 1);
    until("the host's own come and go", () -> a.knows("near", 2));
    near.close();
    until("the peer stays", () -> a.knows("near", 0) && a.knows("far", 1) && a.directory.nodes().size() == 2);
    b.close();
    until("the peer goes", () -> a.directory.nodes().size() == 1 && a.knows("far", 0));
    a.close();
  }

  @Test
  void entryWithdrawnBeforeItsPublicationEndsIsNotAnnounced(@TempDir Path folder) throws Exception {
    Member a = new Member(new DirectoryOptions().setNodeId("a").setPath(folder.resolve("one").toString()), 0);
    Member b = new Member(new DirectoryOptions().setNodeId("b").setPath(folder.resolve("two").toString()).addPeer(a.address()), 0);
    a.publish("orders", 0);
    await(b.directory.awaitServices("orders", Duration.ofSeconds(20)));
    ServiceEntry changed = a.service("orders", 0, CHANGED);
    Future<Void> published = a.directory.publish(changed);
    await(a.directory.withdraw(changed));
    await(published);
    a.publish("after", 0);
    await(b.directory.awaitServices("after", Duration.ofSeconds(20)));
    assertEquals(List.of(), b.directory.services("orders"));
    b.close();
    a.close();
  }

  @Test
  void aPeerMayComeLateAndAgain() throws Exception {
    int port = Ports.free();
    Member b = new Member("b", 0, "127.0.0.1:" + port);
    assertEquals(1, b.directory.nodes().size());
    Member a = new Member("a", port);
    a.publish("orders", 0);
    await(b.directory.awaitServices("orders", Duration.ofSeconds(20)));
    a.close();
    until("it is gone", () -> b.knows("orders", 0));
    Member again = new Member("a", port);
    again.publish("orders", 0);
    assertEquals(again.directory.epoch(), await(b.directory.awaitServices("orders", Duration.ofSeconds(20))).getFirst().epoch());
    again.close();
    b.close();
  }

  /** More entries than sockets and the connection buffer for a slow reader. */
  @Test
  void lateReaderReceivesAllEntries() throws Exception {
    Member a = new Member("a", 0);
    try (Relay relay = new Relay(a.directory.self().controlPort())) {
      Member b = new Member("b", 0, "127.0.0.1:" + relay.port());
      await(b.directory.awaitNode("a", Duration.ofSeconds(20)));
      relay.hold(Relay.Way.TO_CLIENT);
      List<Future<?>> published = new ArrayList<>();
      JsonObject metadata = new JsonObject().put("of", "x".repeat(LONG));
      for (int i = 0; i < MANY; i++) {
        published.add(a.directory.publish(new ServiceEntry("orders " + i, "a", a.directory.epoch(), 0, List.of(), metadata)));
      }
      await(Future.all(published));
      await(a.directory.withdraw(a.service("orders 1", 0)));
      a.publish("late", 0);
      relay.calm();
      await(b.directory.awaitServices("late", Duration.ofSeconds(20)));
      until("all are known", () -> b.directory.services().size() == MANY && b.knows("orders 1", 0));
      b.close();
    }
    a.close();
  }

  @Test
  void aPeerTellsOfNoMoreThanItsBound() throws Exception {
    Member a = new Member("a", 0);
    Liar liar = new Liar(a);
    liar.tell(liar.self);
    String metadata = "x".repeat(ENTRY_BYTES);
    for (int i = 0; i < PeerEntries.MAX_BYTES / ENTRY_BYTES + BEYOND; i++) {
      liar.tell(liar.service("orders " + i, 7, metadata));
    }
    until("it is told", () -> a.refused.stream()
      .anyMatch(why -> why.contains("node liar") && why.contains("more than the allowed " + PeerEntries.MAX_BYTES)));
    // Frees room for an entry of the same length.
    await(liar.link.sendNext(EntrySender.KIND, EntrySender.removal(liar.service("orders 0", 7, "").key())));
    liar.tell(liar.service("last 0", 7, metadata));
    await(a.directory.awaitServices("last 0", Duration.ofSeconds(20)));
    // A changed entry replaces its earlier version.
    liar.tell(liar.service("last 0", 7, "short"));
    until("it has changed", () -> a.directory.services("last 0").getFirst().metadata().getString("of").equals("short"));
    long bytes = a.directory.services().stream().mapToLong(service -> service.toBuffer().length()).sum();
    assertTrue(bytes <= PeerEntries.MAX_BYTES && bytes > PeerEntries.MAX_BYTES - 3 * ENTRY_BYTES, bytes + " bytes are kept");
    // Removed keys use no room.
    await(liar.link.sendNext(EntrySender.KIND, EntrySender.keep(new TreeSet<>(Set.of(liar.self.key())), "").message()));
    until("they are gone", () -> a.directory.services().isEmpty());
    for (int i = 0; i < BEYOND; i++) {
      liar.tell(liar.service("more " + i, 7, metadata));
    }
    until("there is room again", () -> a.directory.services().size() == BEYOND);
    await(liar.control.close());
    a.close();
  }

  @Test
  void nodesOfOneSourceShareALimit() throws Exception {
    long most = Math.max(PeerEntries.MAX_BYTES, Runtime.getRuntime().maxMemory() / 8);
    String metadata = "x".repeat(1_000_000);
    Member a = new Member("a", 0);
    for (long left = most; left >= 0;) {
      Liar liar = new Liar(a, "liar " + left);
      liar.tell(liar.self);
      for (int i = 0; i < PeerEntries.MAX_BYTES / 2 / metadata.length(); i++, left -= metadata.length()) {
        liar.tell(liar.service("orders " + i, 7, metadata));
      }
    }
    until("the last entries are refused", () -> a.refused.stream().anyMatch(why -> why.contains("entries of all nodes of that network")));
    int kept = a.directory.services().size();
    assertTrue(kept > most / metadata.length() / 2 && kept <= most / metadata.length(), kept + " entries of 1 MB");
  }

  @Test
  void entriesOfAnyEpochEndWithTheirPeer() throws Exception {
    Member a = new Member("a", 0);
    Liar liar = new Liar(a);
    liar.tell(liar.self);
    liar.tell(liar.service("of another epoch", 9, ""));
    liar.tell(liar.self.withEpoch(8));
    liar.tell(liar.service("orders", 8, ""));
    await(a.directory.awaitServices("orders", Duration.ofSeconds(20)));
    await(liar.control.close());
    until("it is gone", () -> a.directory.node("liar").isEmpty() && a.knows("orders", 0));
    for (long epoch = 8; epoch <= 9; epoch++) {
      ((AbstractDirectory) a.directory).cache.put(NodeEntry.local("liar", epoch));
      assertEquals(List.of(), a.directory.services());
    }
    a.close();
  }

  @Test
  void nodesThatListEachOtherAndThemselvesHaveOneConnection() throws Exception {
    for (int round = 0; round < 10; round++) {
      int one = Ports.free();
      int two = Ports.free();
      String[] all = {"127.0.0.1:" + one, "localhost:" + two};
      Member a = new Member("a", one, all);
      Member b = new Member("b", two, all);
      until("they know each other", () -> a.directory.nodes().size() == 2 && b.directory.nodes().size() == 2);
      assertEquals(1, await(a.control.links()).size());
      assertEquals(1, await(b.control.links()).size());
      a.close();
      b.close();
    }
  }

  private PeerExchange exchange(DirectoryCache cache, Predicate<String> isKnown) {
    return new PeerExchange(((VertxInternal) vertx).createEventLoopContext(), List.of(), List.of(), cache, List::of, isKnown);
  }

  /** The process's file shows that it lives, and did not change: a removed entry would not come back. */
  @Test
  void aProcessOfTheHostThatWasSilentStays() {
    DirectoryCache cache = new DirectoryCache();
    PeerExchange exchange = exchange(cache, "near"::equals);
    cache.put(NodeEntry.local("near", 1));
    cache.put(NodeEntry.local("far", 2));
    exchange.died(new PeerDeath("near", 1, false, false, false, "it has been silent for 10000 ms"));
    exchange.died(new PeerDeath("far", 2, false, false, false, "it has been silent for 10000 ms"));
    assertTrue(cache.node("near").isPresent(), "it is in the folder");
    assertTrue(cache.node("far").isEmpty(), "it tells of itself when it comes back");
    exchange.died(new PeerDeath("near", 1, false, true, false, "it has restarted"));
    assertTrue(cache.node("near").isEmpty(), "it is gone for certain");
  }

  @Test
  void entriesOfNodeThatIsKnownInAnotherWayAreNotTaken() throws Exception {
    DirectoryCache cache = new DirectoryCache();
    Set<String> near = ConcurrentHashMap.newKeySet();
    PeerExchange exchange = exchange(cache, near::contains);
    Member a = new Member("a", 0);
    Liar liar = new Liar(a);
    exchange.messageReceived(liar.link, EntrySender.addition(NodeEntry.local("a", 2)));
    near.add("a");
    exchange.known("a");
    exchange.messageReceived(liar.link, EntrySender.addition(a.service("orders", 0).withEpoch(2)));
    assertEquals(List.of(), cache.services("orders"));
    cache.put(a.service("near", 0).withEpoch(2));
    near.clear();
    exchange.unknown("a");
    assertEquals(1, cache.services("near").size(), "the other way removes what it has brought");
    await(liar.control.close());
    a.close();
  }

  @Test
  void wordsBehindAGoodByeAreNotTaken() throws Exception {
    DirectoryCache cache = new DirectoryCache();
    PeerExchange exchange = exchange(cache, node -> false);
    Member a = new Member("a", 0);
    Liar liar = new Liar(a);
    exchange.messageReceived(liar.link, EntrySender.addition(NodeEntry.local("a", 2)));
    assertTrue(cache.node("a").isPresent());
    await(liar.control.close());
    exchange.died(new PeerDeath("a", 2, true, true, false, "it was closed"));
    exchange.messageReceived(liar.link, EntrySender.addition(NodeEntry.local("a", 2)));
    assertTrue(cache.node("a").isEmpty());
    a.close();
  }

  @Test
  void entriesFromOptionsOutliveTheNode() throws Exception {
    Member b = new Member("b", 0);
    ServiceEntry orders = new ServiceEntry("orders", "b", 0, 0, List.of(), new JsonObject());
    Member a = new Member(new DirectoryOptions().setType(DirectoryOptions.STATIC).setNodeId("a")
      .addEntry(b.directory.self().withEpoch(0)).addEntry(orders), 0);
    assertEquals(List.of(orders), a.directory.services("orders"));
    await(a.control.link(a.directory.node("b").orElseThrow()));
    until("it tells of itself", () -> a.directory.node("b").orElseThrow().epoch() == b.directory.epoch());
    b.close();
    until("what was given is there again", () -> a.directory.services("orders").equals(List.of(orders)));
    assertEquals(0, a.directory.node("b").orElseThrow().epoch());
    a.close();
  }
}
