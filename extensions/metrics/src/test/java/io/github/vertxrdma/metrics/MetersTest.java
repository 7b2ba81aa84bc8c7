package io.github.vertxrdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.HealthReport;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.AdapterStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.EndedNode;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.RefusalCount;
import io.github.vertxrdma.statistics.TcpConnections;
import io.github.vertxrdma.statistics.Traffic;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "waited in vain until " + what + "; there are " + registry.getMetersAsString());
      LockSupport.parkNanos(1_000_000);
    }
  }

  static RdmaOptions nio() {
    return new RdmaOptions().setFabric("nio")
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(UUID.randomUUID().toString()));
  }

  @Test
  void messagesAndConnectionsOfADevice() throws Exception {
    Rdma rdma = Rdma.create(vertx, nio());
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      await(rdma.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
      RdmaConnection connection = await(rdma.connect("echo"));
      Promise<Void> answered = Promise.promise();
      connection.handler(message -> answered.complete());
      connection.write(Buffer.buffer("hello"));
      await(answered.future());
      // Both ends are in this process.
      until("two messages are counted", () -> registry.find("vertx.rdma.messages.sent").tags("device", "nio", "node", "one")
        .functionCounters().stream().anyMatch(counter -> counter.count() == 2));
      until("both have arrived", () -> registry.get("vertx.rdma.bytes.received").functionCounter().count() == 10);
      assertEquals(2, registry.get("vertx.rdma.connections").gauge().value());
      assertEquals(1, registry.get("vertx.rdma.members").gauge().value());
      await(connection.close());
      until("they are gone", () -> registry.get("vertx.rdma.connections").gauge().value() == 0);
      assertEquals(2, registry.get("vertx.rdma.connections.opened").functionCounter().count());
      assertEquals(0, registry.get("vertx.rdma.connections.lost").functionCounter().count());
    }
  }

  private List<AdapterStatistics> adapters = List.of();
  private volatile HealthReport health = new HealthReport(List.of());

  private Rdma rdma(Supplier<Future<NodeStatistics>> statistics) {
    return (Rdma) Proxy.newProxyInstance(MetersTest.class.getClassLoader(), new Class<?>[] {Rdma.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "vertx" -> vertx;
        case "health" -> Future.succeededFuture(health);
        default -> statistics.get();
      });
  }

  private NodeStatistics node(PeerWay way, long byTcp) {
    return new NodeStatistics("self", "Self", "2.0", 1, 1, "test", List.of("p", "q", "self"),
      List.of(new PeerNode("p", "Orders", "1.9"), new PeerNode("q", "", "1.9")), List.of(), 0, 3,
      List.of(new RefusalCount("not-authentic", 2), new RefusalCount("limit", 1)), new EndedNodes(4, 5, 6,
        List.of(new EndedNode("o", "Old", "crashed", 7_000), new EndedNode("q", "", "orderly", 8_000),
          new EndedNode("r", "Old", "crashed", 9_000))),
      List.of(), adapters, List.of(),
      List.of(way),
      List.of(new TcpConnections("no-library", byTcp), new TcpConnections("not-reached", 0)), List.of());
  }

  private double byTcp(String reason) {
    return registry.find("vertx.rdma.tcp.connections").tags("node", "one", "reason", reason).functionCounters().stream()
      .mapToDouble(counter -> counter.count()).sum();
  }

  private boolean hasWay(String... tags) {
    return registry.find("vertx.rdma.ways").tags("node", "one").tags(tags).gauge() != null;
  }

  @Test
  void presentWayToEachPeerAndConnectionsByTcpWithTheirReason() {
    AtomicReference<NodeStatistics> now = new AtomicReference<>(
      node(new PeerWay("p", "Orders", "10.0.0.2:9000", PeerWay.TCP, "no-library", "because"), 3));
    Rdma rdma = rdma(() -> Future.succeededFuture(now.get()));
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      until("they are counted", () -> byTcp("no-library") == 3 && byTcp("not-reached") == 0);
      until("ended nodes are listed", () -> registry.find("vertx.rdma.node.ended.timestamp").tags("peer", "q").gauge() != null);
      assertTrue(hasWay("peer", "Orders", "address", "10.0.0.2:9000", "way", "TCP", "reason", "no-library"));
      assertEquals(1, registry.get("vertx.rdma.versions").tags("node", "one", "version", "2.0").gauge().value());
      assertEquals(2, registry.get("vertx.rdma.versions").tags("node", "one", "version", "1.9").gauge().value());
      assertEquals(1, registry.get("vertx.rdma.info").tags("node", "one", "version", "2.0", "id", "self", "name", "Self").gauge().value());
      assertEquals(2, registry.get("vertx.rdma.refused").tags("reason", "not-authentic").functionCounter().count());
      assertEquals(4, registry.get("vertx.rdma.nodes.ended").tags("how", "orderly").functionCounter().count());
      assertEquals(5, registry.get("vertx.rdma.nodes.ended").tags("how", "crashed").functionCounter().count());
      assertEquals(6, registry.get("vertx.rdma.nodes.ended").tags("how", "unreachable").functionCounter().count());
      assertEquals(9, registry.get("vertx.rdma.node.ended.timestamp").tags("node", "one", "peer", "Old", "how", "crashed").gauge().value());
      assertEquals(8, registry.get("vertx.rdma.node.ended.timestamp").tags("peer", "q", "how", "orderly").gauge().value());
      assertEquals(1, registry.get("vertx.rdma.healthy").gauge().value());
      health = new HealthReport(List.of("a loop is stuck"));
      until("the node is not healthy", () -> registry.get("vertx.rdma.healthy").gauge().value() == 0);
      now.set(node(new PeerWay("p", "Orders", "10.0.0.2:9000", "shm", "", ""), 4));
      until("the way has changed", () -> byTcp("no-library") == 4 && hasWay("way", "shm") && !hasWay("way", "TCP"));
    }
    assertEquals(List.of(), registry.getMeters().stream().map(meter -> meter.getId().getName())
      .filter(name -> name.startsWith("vertx.rdma.")).toList());
  }

  @Test
  void nodeIsHealthyWithoutStatistics() {
    Rdma rdma = rdma(() -> Future.failedFuture("no statistics"));
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      until("the node is healthy", () -> registry.get("vertx.rdma.healthy").gauge().value() == 1);
    }
  }

  private double adapterCounter(String name) {
    return registry.find("vertx.rdma.adapter").tags("device", "verbs:mlx5_0", "counter", name).functionCounters().stream()
      .mapToDouble(counter -> counter.count()).sum();
  }

  @Test
  void countersOfAdaptersAreReadWithEachSample(@TempDir Path sysfs) throws Exception {
    Path sent = Files.writeString(sysfs.resolve("port_xmit_data"), "17\n");
    Files.writeString(sysfs.resolve("lifespan"), "10\n");
    Files.writeString(sysfs.resolve("np_cnp_sent"), "N/A (no PMA)\n");
    adapters = List.of(new AdapterStatistics("verbs:mlx5_0", List.of(sysfs.toString(), sysfs.resolve("absent").toString()), List.of()));
    Rdma rdma = rdma(() -> Future.succeededFuture(node(new PeerWay("p", "", "10.0.0.2:9000", "shm", "", ""), 0)));
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.empty())) {
      until("the counter has its value", () -> adapterCounter("port_xmit_data") == 17);
      Files.writeString(sent, "18\n");
      until("the counter has its next value", () -> adapterCounter("port_xmit_data") == 18);
      assertEquals(1, registry.get("vertx.rdma.adapter").functionCounters().size());
    }
  }

  /** Micrometer warns once in a process of a meter that is registered again, and then logs it at a lower level. */
  @Test
  void noSampleRegistersAMeterAgain() {
    AtomicInteger samples = new AtomicInteger();
    Rdma rdma = rdma(() -> {
      samples.incrementAndGet();
      return Future.succeededFuture(node(new PeerWay("p", "", "10.0.0.2:9000", "shm", "", ""), 3));
    });
    try (LogLines log = new LogLines(MeterRegistry.class);
      RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.empty())) {
      Logger.getLogger(MeterRegistry.class.getName()).setLevel(Level.ALL);
      until("there were samples", () -> samples.get() > 3);
      assertEquals(List.of(), log.lines());
    }
  }

  private static DeviceStatistics device(long atomics, Latencies oneSided) {
    return new DeviceStatistics("nio", "nio", "nio", EndpointType.MSG, "loop-0", new Traffic(0, 0, 0, 0, 0, 0, atomics, 0, 0),
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      Latencies.NONE, oneSided, 0, 0, List.of());
  }

  /** One operation in sixteen is timed, so a period may have operations and no latency. */
  @Test
  void latencyIsShownWhileOperationsRunThatAreNotTimed() {
    try (DeviceMeters meters = new DeviceMeters(registry, Tags.empty())) {
      Gauge median = registry.get("vertx.rdma.latency").tags("of", "one-sided", "quantile", "0.5").gauge();
      assertEquals(Double.NaN, median.value());
      Latencies first = new Latencies(1, 1000, List.of(new Latencies.Bucket(1024, 1)));
      meters.update(List.of(device(1, first)));
      double shown = median.value();
      assertTrue(shown > 0, () -> "the median is " + shown);
      meters.update(List.of(device(9, first)));
      assertEquals(shown, median.value());
    }
  }

  /** Statistics list at most 256 connections of a loop. */
  @Test
  void connectionsBeyondTheListedOnesAreCounted() throws Exception {
    await(vertx.close());
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma rdma = Rdma.create(vertx, nio());
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.empty())) {
      await(rdma.createServer().connectHandler(RdmaConnection::pause).listen("here"));
      for (int i = 0; i < 128; i++) {
        await(rdma.connect("here"));
      }
      RdmaConnection last = await(rdma.connect("here"));
      until("all are counted", () -> registry.find("vertx.rdma.connections").gauges().stream().anyMatch(g -> g.value() == 258));
      DeviceStatistics device = await(rdma.statistics()).devices().getFirst();
      assertEquals(258, device.connectionCount());
      assertEquals(256, device.connections().size());
      assertEquals(0, registry.get("vertx.rdma.pending.bytes").gauge().value());
      for (int i = 0; i < 16; i++) {
        last.write(Buffer.buffer(new byte[1 << 20]));
      }
      until("what waits at the last one is counted", () -> registry.get("vertx.rdma.pending.bytes").gauge().value() > 0);
    }
  }

  @Test
  void functions() throws Exception {
    Rdma rdma = Rdma.create(vertx, nio());
    FunctionServer manager = await(FunctionServer.create(rdma, new FunctionServerOptions().setCores(2))
      .register("echo", RemoteFunction.of(arguments -> arguments)).listen());
    try (FunctionMeters meters = FunctionMeters.bind(vertx, manager, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      assertEquals(2, registry.get("vertx.rdma.functions.cores.free").tags("node", "one").gauge().value());
      FunctionClient invoker = FunctionClient.create(rdma);
      await(invoker.lease(new LeaseOptions()));
      await(invoker.invoke("echo", Buffer.buffer("x")));
      until("the worker and its call are counted", () -> registry.get("vertx.rdma.functions.workers").gauge().value() == 1
        && registry.get("vertx.rdma.functions.invocations").functionCounter().count() == 1);
      assertTrue(registry.get("vertx.rdma.functions.allocated.seconds").functionCounter().count() > 0);
      await(invoker.leases().getFirst().end());
      await(invoker.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20))));
      await(invoker.invoke("echo", Buffer.buffer("x")));
      until("leases that have ended count too", () -> registry.get("vertx.rdma.functions.invocations").functionCounter().count() == 2);
      assertEquals(0, registry.get("vertx.rdma.functions.refusals").functionCounter().count());
      await(invoker.close());
    }
  }

  @Test
  void latenciesOfTheLastPeriod() throws Exception {
    RdmaOptions options = nio();
    Rdma owner = Rdma.create(vertx, options);
    await(owner.createRegion(new RegionOptions().setName("board").setSize(4096).setAccess(Set.of(RegionAccess.READ))));
    Rdma guest = Rdma.create(vertx, options);
    try (RdmaMeters meters = RdmaMeters.bind(guest, registry, Duration.ofMillis(20), Tags.empty())) {
      RemoteRegion board = await(guest.openRegion("board"));
      until("a read is seen", () -> {
        board.read(0, 8);
        Gauge median = registry.find("vertx.rdma.latency").tags("of", "one-sided", "quantile", "0.5").gauge();
        return median != null && median.value() > 0 && median.value() < 60
          && registry.get("vertx.rdma.latency").tags("of", "one-sided", "quantile", "1").gauge().value() >= 0;
      });
      assertEquals(Double.NaN, registry.get("vertx.rdma.latency").tags("of", "requests", "quantile", "0.99").gauge().value());
      await(board.close());
    }
  }

  /** Like a verticle that is deployed again: the registry is the same, the node is another. */
  @Test
  void metersAreBoundAgainForAnotherNode() throws Exception {
    for (int round = 0; round < 2; round++) {
      Rdma rdma = Rdma.create(vertx, nio());
      try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
        await(rdma.createServer().connectHandler(c -> {}).listen("here"));
        until("the node is seen", () -> registry.get("vertx.rdma.members").gauge().value() == 1);
        for (int i = 0; i <= round; i++) {
          await(rdma.connect("here"));
        }
        int ends = 2 * (round + 1);
        until("its connections are counted",
          () -> registry.find("vertx.rdma.connections").gauges().stream().anyMatch(g -> g.value() == ends));
      }
      assertEquals(List.of(),
        registry.getMeters().stream().map(meter -> meter.getId().getName()).filter(n -> n.startsWith("vertx.rdma.")).toList());
      await(rdma.close());
    }
  }

  @Test
  void metersAreBoundAgainForAnotherFunctionServer() throws Exception {
    for (int cores = 1; cores <= 2; cores++) {
      FunctionServer manager = await(
        FunctionServer.create(Rdma.create(vertx, nio()), new FunctionServerOptions().setCores(cores)).listen());
      try (FunctionMeters meters = FunctionMeters.bind(vertx, manager, registry, Duration.ofMillis(20), Tags.empty())) {
        assertEquals(cores, registry.get("vertx.rdma.functions.cores.free").gauge().value());
      }
      assertTrue(registry.find("vertx.rdma.functions.cores.free").gauges().isEmpty());
      await(manager.close());
    }
  }

  /** A blocked event loop answers late, and is not asked again meanwhile. */
  @Test
  void aNodeIsAskedOnceAtATime() {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger periods = new AtomicInteger();
    try (RdmaMeters meters = RdmaMeters.bind(rdma(() -> {
      asked.incrementAndGet();
      return Promise.<NodeStatistics>promise().future();
    }), registry, Duration.ofMillis(5), Tags.empty())) {
      vertx.setPeriodic(5, t -> periods.incrementAndGet());
      until("it might have been asked again", () -> periods.get() > 10);
      assertEquals(1, asked.get());
    }
  }

  @Test
  void removedDeviceHasNoConnections() throws Exception {
    Rdma rdma = Rdma.create(vertx, nio());
    await(rdma.createServer().connectHandler(c -> {}).listen("here"));
    await(rdma.connect("here"));
    NodeStatistics used = await(rdma.statistics());
    NodeStatistics empty = await(Rdma.create(vertx, nio()).statistics());
    AtomicReference<NodeStatistics> now = new AtomicReference<>(used);
    try (RdmaMeters meters = RdmaMeters.bind(rdma(() -> Future.succeededFuture(now.get())), registry, Duration.ofMillis(5),
      Tags.empty())) {
      assertEquals(2, registry.get("vertx.rdma.connections").gauge().value());
      now.set(empty);
      until("they are gone", () -> registry.get("vertx.rdma.connections").gauge().value() == 0);
    }
  }
}
