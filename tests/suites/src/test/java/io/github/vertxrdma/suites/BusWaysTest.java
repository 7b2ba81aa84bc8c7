package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.impl.node.Ways;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.TcpConnections;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class BusWaysTest {
  private static final String CONFIG = "vertx.rdma.config";

  @TempDir
  Path folder;
  private final List<Vertx> running = new ArrayList<>();
  private final LogLines log = new LogLines(Ways.class);
  private final Logger bus = Logger.getLogger("io.vertx.core.eventbus.impl.clustered.ClusteredEventBus");
  /** Causes of failures, since Vert.x's event bus does not pass them to the sender. */
  private final Queue<String> causes = new ConcurrentLinkedQueue<>();
  private final long fallbacks = TransportCounters.PROCESS.fallbacks();
  private final long channels = TransportCounters.PROCESS.channels();
  private int port;

  @BeforeEach
  void findPorts() throws IOException {
    port = TestCluster.freePorts();
    bus.setFilter(line -> line.getThrown() == null || !causes.add(line.getThrown().getMessage()));
  }

  @AfterEach
  void stop() throws Exception {
    System.clearProperty(CONFIG);
    for (Vertx vertx : running.reversed()) {
      await(vertx.close());
    }
    log.close();
    bus.setFilter(null);
  }

  static final class PlainNode {
    private PlainNode() {
    }

    public static void main(String[] arguments) throws Exception {
      Vertx vertx = TestCluster.member(Integer.parseInt(arguments[0]), new VertxOptions());
      await(vertx.eventBus().consumer("plain", message -> message.reply("plain")).completion());
      System.out.println("ready");
    }
  }

  /** Returns a class path with the test's node and the class that configures Hazelcast. */
  private String classPathWithoutTheLibrary() throws IOException, URISyntaxException {
    Path own = folder.resolve("plain");
    String file = QuietHazelcast.class.getName().replace('.', '/') + ".class";
    Files.createDirectories(own.resolve(file).getParent());
    try (InputStream in = BusWaysTest.class.getClassLoader().getResourceAsStream(file)) {
      Files.copy(in, own.resolve(file));
    }
    String tests = Path.of(BusWaysTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    List<String> entries = new ArrayList<>(List.of(own.toString(), tests));
    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
      .filter(entry -> !entry.equals(tests) && (Files.isDirectory(Path.of(entry))
        ? !Files.isDirectory(Path.of(entry, "io/github/vertxrdma")) : !Path.of(entry).getFileName().toString().startsWith("vertx-rdma")))
      .forEach(entries::add);
    return String.join(File.pathSeparator, entries);
  }

  private static JsonObject fabric(String fabric) {
    return fabric == null ? new JsonObject() : new JsonObject().put("fabric", fabric);
  }

  private Vertx clustered(JsonObject config, EventBusOptions bus) throws Exception {
    System.setProperty(CONFIG, Files.writeString(folder.resolve("config.json"), config.encode()).toString());
    Vertx vertx = TestCluster.member(port, new VertxOptions().setEventBusOptions(bus));
    running.add(vertx);
    return vertx;
  }

  private static Object ask(Vertx vertx, String address) throws Exception {
    return await(vertx.eventBus().request(address, "", new DeliveryOptions().setSendTimeout(15_000))).body();
  }

  private static NodeStatistics statistics(Vertx vertx) throws Exception {
    return await(Rdma.create(vertx, new RdmaOptions(TransportOptions.ofNodes(vertx))).statistics());
  }

  private void assertOneWarning(String why) {
    assertEquals(1, log.lines().size(), log.lines()::toString);
    assertEquals(log.lines(), log.warnings());
    assertTrue(log.lines().getFirst().contains(" use TCP: " + why), log.lines()::toString);
    assertEquals(fallbacks + 1, TransportCounters.PROCESS.fallbacks());
    assertEquals(channels, TransportCounters.PROCESS.channels());
  }

  @Test
  void memberWithoutTheLibraryIsOneWarningAndIsCounted() throws Exception {
    try (ChildJvm peer = ChildJvm.startOn(classPathWithoutTheLibrary(), PlainNode.class, Integer.toString(port))) {
      peer.await("ready");
      Vertx vertx = clustered(fabric(null), new EventBusOptions());
      for (int i = 0; i < 2; i++) {
        assertEquals("plain", ask(vertx, "plain"));
      }
      assertOneWarning("the peer's event bus does not use vertx-rdma");
      NodeStatistics statistics = statistics(vertx);
      assertEquals(List.of("no-library"), statistics.ways().stream().map(way -> way.reason()).toList());
      assertTrue(statistics.tcpConnections().contains(new TcpConnections("no-library", 1)), statistics::toString);
    }
  }

  @Test
  @Tag("full")
  void forcedFabricFailsTowardsMemberWithoutTheLibrary() throws Exception {
    try (ChildJvm peer = ChildJvm.startOn(classPathWithoutTheLibrary(), PlainNode.class, Integer.toString(port))) {
      peer.await("ready");
      Vertx vertx = clustered(fabric("nio"), new EventBusOptions());
      assertThrows(ExecutionException.class, () -> ask(vertx, "plain"));
      assertTrue(causes.element().contains(" over a fabric, and fabric 'nio' is forced: the peer's event bus does not use "
        + "vertx-rdma. Add"),
        causes::toString);
      assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks());
      await(vertx.createNetServer().connectHandler(socket -> socket.close()).listen(0, "127.0.0.1").compose(server -> {
        NetClient client = vertx.createNetClient();
        return client.connect(server.actualPort(), "127.0.0.1").eventually(client::close);
      }));
      assertEquals(List.of(), log.lines());
    }
  }

  /** Forwards connections of the bus, so that nodes cannot prove where they lead. */
  private static int forwarder(Vertx stock, int to) throws Exception {
    NetClient client = stock.createNetClient();
    return await(stock.createNetServer().connectHandler(socket -> {
      socket.pause();
      client.connect(to, "127.0.0.1").onComplete(other -> {
        socket.pipeTo(other);
        other.pipeTo(socket);
      }, cause -> socket.close());
    }).listen(0, "127.0.0.1")).actualPort();
  }

  @Test
  @Tag("full")
  void publicPortOfAForwarderIsOneWarningAndFailsIfAFabricIsForced() throws Exception {
    Vertx stock = Vertx.vertx();
    running.add(stock);
    int bound = TestCluster.freePorts();
    int open = forwarder(stock, bound);
    Vertx peer = clustered(fabric(null), new EventBusOptions().setPort(bound).setClusterPublicHost("127.0.0.1").setClusterPublicPort(open));
    await(peer.eventBus().consumer("peer", message -> message.reply("peer")).completion());
    Vertx vertx = clustered(fabric(null), new EventBusOptions());
    assertEquals("peer", ask(vertx, "peer"));
    awaitLine("Connections to 127.0.0.1:" + open + " .* use TCP: node \\S+ has no connection from \\S+ at .*");
    assertTrue(TransportCounters.PROCESS.toString().contains("not-proven "), TransportCounters.PROCESS::toString);
    Vertx forced = clustered(fabric("shm"), new EventBusOptions());
    assertThrows(ExecutionException.class, () -> ask(forced, "peer"));
    assertTrue(causes.element().contains(" over a fabric, and fabric 'shm' is forced: node ")
      && causes.element().contains(" has no connection from "), causes::toString);
  }

  /** Linux delivers to a wildcard listener even for an address of no interface. */
  @Test
  @Tag("full")
  void forcedFabricIsTakenWhenThePathToThePublicHostIsProven() throws Exception {
    Vertx peer = clustered(fabric("shm"), new EventBusOptions().setHost("0.0.0.0").setClusterPublicHost("127.0.0.2"));
    await(peer.eventBus().consumer("peer", message -> message.reply("peer")).completion());
    assertEquals("peer", ask(clustered(fabric("shm"), new EventBusOptions()), "peer"));
    assertTrue(TransportCounters.PROCESS.channels() >= channels + 2, TransportCounters.PROCESS::toString);
  }

  @Test
  void memberThatTheDirectoryDoesNotKnowIsReachedByTcp() throws Exception {
    JsonObject others = new JsonObject().put("directory", new JsonObject().put("group", "others"));
    Vertx peer = clustered(others, new EventBusOptions());
    await(peer.eventBus().consumer("peer", message -> message.reply("peer")).completion());
    Vertx vertx = clustered(fabric(null), new EventBusOptions());
    assertEquals("peer", ask(vertx, "peer"));
    awaitLine(".* use TCP: the hazelcast directory, group 'default' has no entry.*");
  }

  private void awaitLine(String expression) throws InterruptedException {
    long start = System.nanoTime();
    while (log.lines().stream().noneMatch(line -> line.matches(expression))) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60), log.lines()::toString);
      Thread.sleep(10);
    }
  }
}
