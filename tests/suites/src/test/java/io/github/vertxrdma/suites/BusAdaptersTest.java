package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.test.fakecluster.FakeClusterManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A port or interface fails: messages continue over the other device, without duplicates. Uses two RoCE devices in user space, or siw in
 * the soft-rdma machine.
 */
@Timeout(180)
class BusAdaptersTest {
  private static final String FABRIC = System.getProperty("vertx.rdma.suite.fabric");
  private static final List<String> NAMES = FABRIC == null ? List.of("mlx5", "nic") : List.of("siw0", "siw1");
  private static final int LIVES = 2;
  private static final long PERIOD_MILLIS = 5;
  /** Milliseconds. A connect may fail over each device before it succeeds. */
  private static final long PATIENCE = Math.max(60_000, Await.patienceMillis());

  @TempDir
  Path folder;
  private Vertx sender;
  private Vertx receiver;

  @BeforeEach
  void start() throws Exception {
    JsonObject settings = new JsonObject().put("verbs.device", String.join(",", NAMES));
    if (FABRIC == null) {
      assumeTrue(Nic.built().missing() == null, Nic.built().missing());
      Nic.built().provide(NAMES.toArray(String[]::new));
      // The connection manager gives this host's addresses to one device only.
      settings.put("verbs.connect", "exchange");
    }
    JsonObject options = new JsonObject().put("fabric", FABRIC == null ? "verbs-rocev2" : FABRIC).put("host", "127.0.0.1")
      .put("settings", settings)
      .put("directory", new JsonObject().put("type", DirectoryOptions.SAME_HOST));
    if (Await.patienceMillis() > Await.PATIENCE_MILLIS) {
      // On a slow machine a time limit must not end a peer.
      options.put("connectTimeout", PATIENCE).put("deadTimeout", PATIENCE);
    }
    System.setProperty("vertx.rdma.config", Files.writeString(folder.resolve("vertx-rdma.json"), options.encode()).toString());
    System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
    sender = clustered();
    receiver = clustered();
  }

  private static Vertx clustered() throws Exception {
    return await(Vertx.builder().withClusterManager(new FakeClusterManager()).buildClustered());
  }

  @AfterEach
  void stop() throws Exception {
    if (sender != null) {
      carries(0, true);
      carries(1, true);
      await(sender.close());
      await(receiver.close());
      FakeClusterManager.reset();
    }
    System.clearProperty("vertx.rdma.config");
    System.clearProperty("vertx.rdma.runtime");
    if (FABRIC == null) {
      Nic.withdraw();
    }
  }

  private static void carries(int device, boolean it) throws Exception {
    if (FABRIC == null) {
      Nic.built().port(NAMES.get(device), it);
      return;
    }
    Process ip = new ProcessBuilder("ip", "link", "set", "net-" + NAMES.get(device), it ? "up" : "down").redirectErrorStream(true).start();
    String said = new String(ip.getInputStream().readAllBytes());
    assertEquals(0, ip.waitFor(), said);
  }

  @Test
  void messagesGoOnOverTheOtherAndNoneComesTwice(TestReporter reporter) throws Exception {
    Set<Integer> arrived = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    await(receiver.eventBus().<Integer>consumer("numbers", message -> {
      if (!arrived.add(message.body())) {
        twice.incrementAndGet();
      }
    }).completion());
    AtomicInteger next = new AtomicInteger();
    sender.setPeriodic(PERIOD_MILLIS, id -> sender.eventBus().send("numbers", next.getAndIncrement()));
    Rdma node = Rdma.create(sender, TransportOptions.ofNodes(sender));
    for (int life = 0; life < LIVES; life++) {
      int device = life % 2;
      goesOver(node, device, arrived);
      carries(device, false);
      reporter.publishEntry("over " + NAMES.get(1 - device), "after " + goesOver(node, 1 - device, arrived) + " ms");
      carries(device, true);
    }
    assertEquals(0, twice.get());
  }

  /** @return milliseconds until the first message */
  private static long goesOver(Rdma node, int device, Set<Integer> arrived) {
    long start = System.nanoTime();
    until("a connection is there over " + NAMES.get(device), () -> open(node, device));
    int before = arrived.size();
    until("a message comes over " + NAMES.get(device), () -> arrived.size() > before);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    until("more come over " + NAMES.get(device), () -> arrived.size() > before + 100);
    return millis;
  }

  private static void until(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(PATIENCE), () -> "waited in vain until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(PATIENCE, TimeUnit.MILLISECONDS);
  }

  private static boolean open(Rdma node, int device) {
    try {
      List<DeviceStatistics> open = await(node.statistics()).devices().stream()
        .filter(each -> each.connections().stream().anyMatch(BusAdaptersTest::isOfBus)).toList();
      return open.size() == 1 && open.getFirst().device().equals("verbs:" + NAMES.get(device));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isOfBus(ConnectionStatistics connection) {
    return connection.outgoing() && connection.open() && connection.service().equals("connections");
  }
}
