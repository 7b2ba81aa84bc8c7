package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.MessagePaths;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.EndedNode;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.github.vertxrdma.statistics.RefusalCount;
import io.github.vertxrdma.statistics.Traffic;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StatisticsTest extends FabricPair {
  private static final int LARGE = 100_000;

  @Override
  String fabric() {
    return "nio";
  }

  @Test
  void messagesAreCountedOnBothSides() throws Exception {
    RdmaConnection connection = exchange();
    NodeStatistics mine = await(client.statistics());
    DeviceStatistics device = mine.devices().getFirst();
    assertEquals("nio", device.device());
    ConnectionStatistics here = device.connections().getFirst();
    assertEquals(connection.remoteNodeId(), here.peer());
    assertEquals("echo", here.service());
    assertTrue(here.outgoing() && here.open());
    assertEquals(2, here.traffic().messagesSent());
    assertEquals(2, here.traffic().messagesReceived());
    assertEquals(LARGE + 5, here.traffic().bytesSent());
    assertEquals(LARGE + 5, here.traffic().bytesReceived());
    assertTrue(here.traffic().reads() > 0 && here.traffic().bytesRead() == LARGE, here.toString());
    NodeStatistics theirs = await(server.statistics());
    assertEquals(List.of("echo"), theirs.services());
    ConnectionStatistics there = theirs.devices().stream().flatMap(d -> d.connections().stream()).findFirst().orElseThrow();
    assertFalse(there.outgoing());
    assertEquals("echo", there.service());
    assertEquals(mine.nodeId(), there.peer());
    assertEquals(LARGE + 5, there.traffic().bytesReceived());
    await(connection.close());
    Traffic after = await(client.statistics()).devices().getFirst().traffic();
    assertEquals(2, after.messagesSent(), "what is over stays counted");
  }

  @Test
  void messagesGoTheWayThatTheirSizeSays() throws Exception {
    Device device = Provider.all().stream().flatMap(p -> p.discover(new DiscoveryOptions()).devices().stream())
      .filter(d -> d.name().equals("nio")).findFirst().orElseThrow();
    int eager = MessagePaths.of(device.capabilities(), device.limits(), options()).eager();
    await(server.createServer().connectHandler(c -> c.handler(m -> c.write(Buffer.buffer("got " + m.length())))).listen("sizes"));
    RdmaConnection connection = await(client.connect("sizes"));
    for (int size : new int[] {eager, eager + 1}) {
      Promise<Buffer> got = Promise.promise();
      connection.handler(got::tryComplete);
      connection.write(Buffer.buffer(new byte[size]));
      assertEquals("got " + size, await(got.future()).toString());
      long fetched = await(server.statistics()).devices().stream().mapToLong(d -> d.traffic().bytesRead()).sum();
      assertEquals(size == eager ? 0 : size, fetched, "bytes that the receiver had to fetch of a message of " + size);
    }
  }

  @Test
  void regionsListTheirHolders() throws Exception {
    await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    RemoteRegion table = await(client.openRegion("table"));
    await(table.write(0, Buffer.buffer("12345678")));
    NodeStatistics owner = await(server.statistics());
    assertEquals("table", owner.regions().getFirst().name());
    assertEquals(4096, owner.regions().getFirst().size());
    NodeStatistics holder = await(client.statistics());
    assertEquals(List.of(holder.nodeId()), owner.regions().getFirst().holders());
    assertTrue(holder.devices().getFirst().traffic().bytesWritten() >= 8, holder.toString());
  }

  @Test
  void statisticsOfAnotherNodeAreRead() throws Exception {
    exchange();
    await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
    await(await(client.openRegion("table")).read(0, 64));
    String id = await(server.directory()).nodeId();
    NodeStatistics told = await(client.statistics(id));
    assertEquals(id, told.nodeId());
    assertEquals(List.of("echo"), told.services());
    assertEquals("table", told.regions().getFirst().name());
    NodeStatistics itself = await(server.statistics(id));
    assertEquals(itself, RecordJson.read(NodeStatistics.class, itself.toJson()), "what JSON carries is all of it");
    Latencies reads = await(client.statistics()).devices().stream().map(DeviceStatistics::oneSided).reduce(Latencies.NONE, Latencies::and);
    assertTrue(reads.count() > 0 && reads.percentile(50) > 0 && reads.percentile(50) <= reads.maxNanos(), reads.toString());
    Await.until("the round trips of its connections were measured", () -> result(client.statistics(id)).devices().stream()
      .flatMap(d -> d.connections().stream()).allMatch(c -> c.roundTripNanos() > 0));
    assertEquals(RdmaException.Reason.NOT_FOUND, reason(client.statistics("nobody")));
  }

  @Test
  void aNodeWithoutStatisticsSaysSo() throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma silent = Rdma.create(vertx, options().setStatistics(false));
    try {
      String id = await(silent.directory()).nodeId();
      await(await(client.directory()).awaitNode(id, Duration.ofSeconds(20)));
      Throwable cause = assertThrows(ExecutionException.class, () -> await(client.statistics(id))).getCause();
      assertEquals("node " + id + " does not send statistics, since its option statistics is false", cause.getMessage());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void failuresAreListedWithTextAndRefusalsCountedByReason() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write))
      .handshakeHandler(request -> request.reject("not today")).listen("closed"));
    assertEquals(RdmaException.Reason.REJECTED, reason(client.connect("closed")));
    NodeStatistics mine = await(client.statistics());
    assertEquals(1, mine.connectsFailed());
    assertTrue(mine.errors().getLast().contains("not today"), mine.errors().toString());
    Await.until("the refusal is counted", () -> refused(statistics(server), "rejected") == 1);
    NodeStatistics theirs = statistics(server);
    assertEquals(1, theirs.refused());
    assertEquals(0, refused(theirs, "not-authentic"));
  }

  @Test
  void aToolOutsideReadsTheMappedFile() throws Exception {
    exchange();
    String id = await(server.statistics()).nodeId();
    Await.until("the file of " + id + " tells of the messages", () -> told().stream().anyMatch(node -> node.getString("nodeId").equals(id)
      && node.getJsonArray("devices").stream().anyMatch(d -> ((JsonObject) d).getJsonObject("traffic").getLong("bytesSent") == LARGE + 5)));
    assertTrue(PublishedStatistics.processes().contains(ProcessHandle.current().pid()));
    await(serverVertx.close());
    assertTrue(told().stream().noneMatch(node -> node.getString("nodeId").equals(id)), "a closed node leaves no file");
  }

  private static List<JsonObject> told() {
    try {
      return PublishedStatistics.read(ProcessHandle.current().pid()).stream().map(JsonObject::new).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPeerAnswersPingsWithoutItsApplication() throws Exception {
    await(server.createServer().connectHandler(c -> {
      throw new AssertionError("a ping is not a connection of the application");
    }).listen("busy"));
    PingReport report = await(client.ping("busy", new PingOptions().setCount(20).setSize(LARGE))).getFirst();
    assertEquals("", report.failure());
    assertEquals(20, report.nanos().size());
    assertEquals("nio", report.device());
    assertTrue(report.percentile(0) > 0 && report.percentile(50) <= report.percentile(99), report.toString());
    String id = await(server.directory()).nodeId();
    assertEquals(id, await(client.ping(id, new PingOptions().setCount(1).setSize(0))).getFirst().nodeId());
    assertEquals(RdmaException.Reason.NOT_FOUND, reason(client.ping("nobody", new PingOptions()
      .setLookupTimeout(Duration.ofMillis(100)))));
  }

  @Test
  void aPingLeavesNoTimers() throws Exception {
    await(server.createServer().connectHandler(c -> {}).listen("busy"));
    await(client.ping("busy", new PingOptions().setCount(1)));
    int before = timers();
    await(client.ping("busy", new PingOptions().setCount(1000)));
    assertTrue(timers() - before < 100, before + " timers, then " + timers());
  }

  /** Timers of the client's event loops, which Netty keeps private. */
  private int timers() throws Exception {
    Field queue = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
    queue.setAccessible(true);
    int timers = 0;
    for (EventExecutor loop : ((VertxInternal) clientVertx).nettyEventLoopGroup()) {
      timers += loop.submit(() -> queue.get(loop) == null ? 0 : ((Collection<?>) queue.get(loop)).size()).get();
    }
    return timers;
  }

  @Test
  void healthIsUpUntilALoopIsStuckOrItIsClosed() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    // A machine that paused for longer than a report's time limit reports a problem once.
    Await.until("no problem is reported", () -> result(server.health()).up());
    CountDownLatch stuck = new CountDownLatch(1);
    RdmaConnection connection = await(client.connect("echo"));
    Promise<Void> blocked = Promise.promise();
    connection.handler(message -> {
      blocked.complete();
      try {
        stuck.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    connection.write(Buffer.buffer("hello"));
    await(blocked.future());
    try {
      assertFalse(await(client.health()).up());
    } finally {
      stuck.countDown();
    }
    await(client.close());
    assertEquals(List.of("RDMA was closed in this Vert.x"), await(client.health()).problems());
    assertEquals("{\"up\":false,\"problems\":[\"RDMA was closed in this Vert.x\"]}", await(client.health()).toJson().encode());
  }

  @Test
  void flightRecorderRecordsConnectionsRegistrationsAndRefusals() throws Exception {
    Set<String> heard = ConcurrentHashMap.newKeySet();
    Set<String> wanted = Set.of("Connect", "Connection", "Registration");
    try (RecordingStream stream = new RecordingStream()) {
      wanted.forEach(name -> {
        stream.enable("io.github.vertxrdma." + name).withoutThreshold();
        stream.onEvent("io.github.vertxrdma." + name, event -> heard.add(name));
      });
      stream.startAsync();
      exchange();
      stream.stop();
    }
    assertEquals(wanted, heard);
  }

  private static long refused(NodeStatistics node, String reason) {
    return node.refusals().stream().filter(each -> each.reason().equals(reason)).mapToLong(RefusalCount::count).sum();
  }

  @Test
  void peersHaveNamesAndVersionsAndTheirEndIsCountedAndRecorded() throws Exception {
    Set<String> recorded = ConcurrentHashMap.newKeySet();
    try (RecordingStream stream = new RecordingStream(); LogLines log = new LogLines("io.github.vertxrdma.impl.node.PeerLinks")) {
      stream.enable("io.github.vertxrdma.NodeEnd").withoutThreshold();
      // A stream may lack strings of 16 characters and more.
      stream.onEvent("io.github.vertxrdma.NodeEnd", event -> recorded.add(event.getString("name") + ' ' + event.getBoolean("orderly")));
      stream.startAsync();
      exchange();
      await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
      await(client.openRegion("table"));
      NodeStatistics before = statistics(server);
      NodeEntry self = await(client.directory()).self();
      Await.until("the server knows its peer", () -> statistics(server).peers()
        .contains(new PeerNode(self.nodeId(), self.name(), self.version())));
      assertEquals(self.version(), before.version());
      await(clientVertx.close());
      // Logged after it was counted and recorded.
      Await.until("the end of the client is logged", () -> !log.lines().isEmpty());
      EndedNodes ended = statistics(server).ended();
      EndedNode last = ended.last().getFirst();
      assertEquals(new EndedNodes(1, 0, 0, List.of(new EndedNode(self.nodeId(), self.name(), "orderly", last.timeMillis()))), ended);
      assertTrue(Math.abs(System.currentTimeMillis() - last.timeMillis()) < 60_000, last::toString);
      stream.stop();
      assertTrue(recorded.contains(self.name() + " true"), recorded.toString());
      assertEquals(List.of("Node " + NodeName.words(self.name(), self.nodeId()) + " has ended: it was closed"), log.lines());
      assertEquals(List.of(), log.warnings());
      NodeStatistics after = statistics(server);
      assertEquals(List.of(), after.errors());
      assertEquals(0, after.devices().stream().mapToLong(DeviceStatistics::lost).sum(), "lost connections");
    }
  }

  @Test
  void connectionByTcpIsRecorded() throws Exception {
    Set<String> recorded = ConcurrentHashMap.newKeySet();
    try (RecordingStream stream = new RecordingStream()) {
      stream.enable("io.github.vertxrdma.Tcp").withoutThreshold();
      stream.onEvent("io.github.vertxrdma.Tcp", event -> recorded.add(event.getString("name") + ' ' + event.getString("reason")));
      stream.startAsync();
      new Ways(System::nanoTime).tcp("p", "Orders", "10.0.0.2:9000", TcpReason.NO_LIBRARY, "because");
      stream.stop();
    }
    assertEquals(Set.of("Orders no-library"), recorded);
  }

  @Test
  void attemptToConnectIsLoggedAtFine() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler = new Handler() {
      @Override
      public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage());
      }

      @Override
      public void flush() {
      }

      @Override
      public void close() {
      }
    };
    handler.setLevel(Level.FINE);
    Logger logger = Logger.getLogger(Connector.class.getName());
    logger.setLevel(Level.FINE);
    logger.addHandler(handler);
    try {
      exchange();
      Await.until("the attempt is logged", () -> lines.stream().anyMatch(line -> line.startsWith("FINE Connecting to")
        && line.contains(" over nio at 127.0.0.1:"))
        && lines.stream().anyMatch(line -> line.startsWith("FINE Connecting to") && line.endsWith(" over nio succeeded")));
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(null);
    }
  }

  private RdmaConnection exchange() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    RdmaConnection connection = await(client.connect("echo"));
    Promise<Void> both = Promise.promise();
    int[] bytes = {0};
    connection.handler(message -> {
      bytes[0] += message.length();
      if (bytes[0] == LARGE + 5) {
        both.complete();
      }
    });
    connection.write(Buffer.buffer("hello"));
    connection.write(Buffer.buffer(new byte[LARGE]));
    await(both.future());
    return connection;
  }
}
