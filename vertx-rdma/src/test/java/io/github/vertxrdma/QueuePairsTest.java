package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Counts resources of an adapter for nodes each of whose event loops reads a region of each other node; docs/scale.adoc has the figures.
 */
@Tag("full")
@Timeout(600)
class QueuePairsTest {
  private static final String DEVICE = "mlx5";
  private static final int LOOPS = 4;
  private static final int MOST_SECONDS = 200;

  @TempDir
  Path folder;
  private final List<Vertx> nodes = new ArrayList<>();

  @BeforeEach
  void provide() {
    Assumptions.assumeTrue(Nic.built().missing() == null, () -> Nic.built().missing());
    Nic.built().provide(DEVICE);
  }

  @AfterEach
  void close() throws Exception {
    for (Vertx node : nodes) {
      Await.await(node.close());
    }
    Nic.withdraw();
  }

  private Rdma node(int most) {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
    nodes.add(vertx);
    return node(vertx, most, folder.toString());
  }

  private static Rdma node(Vertx vertx, int most, String folder) {
    return Rdma.create(vertx, new RdmaOptions().setFabric("verbs-rocev2").setMaxRegionLinks(most).setConnectTimeout(Duration.ofMinutes(2))
      // Nodes with equal settings share a context, whose events at most 500 event loops can wait for; epoll_ctl(2).
      .setSettings(new JsonObject().put("verbs.device", DEVICE).put("verbs.connect", "exchange").put("test", vertx.toString()))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder)));
  }

  private static Future<MemoryRegion> share(Rdma rdma, int number) {
    return rdma.createRegion(new RegionOptions().setName("table-" + number).setSize(4096).setAccess(RegionAccess.READ));
  }

  @ParameterizedTest
  @CsvSource({"2, 512", "4, 512", "8, 512", "8, 7"})
  void queuePairsArePairsOfAnEventLoopAndANodeUpToTheLimit(int count, int most) throws Exception {
    List<Rdma> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(node(most));
      Await.await(share(all.getLast(), i));
    }
    for (int from = 0; from < count; from++) {
      for (int loop = 0; loop < LOOPS; loop++) {
        await(readAll(nodes.get(from), all.get(from), from, count));
      }
    }
    int pairs = Nic.built().queuePairs(DEVICE) / count;
    System.out.println("QueuePairsTest: " + count + " nodes of " + LOOPS + " event loops, at most " + most + " links: " + pairs
      + " queue pairs and " + Nic.built().pinnedKiB(DEVICE) / count + " KiB pinned for each node, " + Nic.built().contexts(DEVICE)
      + " contexts of the process");
    // Both ends of each link are in this process. A link serves both directions if it is on the right event loop.
    assertTrue(pairs <= 2 * Math.min(most, LOOPS * (count - 1)), pairs + " queue pairs");
    assertTrue(pairs >= count - 1, pairs + " queue pairs");
  }

  /**
   * The node of this process and 99 in another one, each with 16 event loops that read. A peer that shares its links among 99 owners has
   * five links to this node.
   */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"512, 5", "100000, 100000"})
  void nodeOfAHundredInTwoProcesses(int most, int ofPeer) throws Exception {
    int count = 100, loops = 16;
    try (ChildJvm peers = Peers.start(folder, count, loops, ofPeer)) {
      Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
      nodes.add(vertx);
      Rdma rdma = node(vertx, most, folder.toString());
      Await.await(share(rdma, 0));
      for (int i = 1; i < count; i++) {
        peers.await("shared");
      }
      peers.send("read");
      for (int loop = 0; loop < loops; loop++) {
        await(readAll(vertx, rdma, 0, count));
        peers.await("read");
      }
      int pairs = Nic.built().queuePairs(DEVICE);
      System.out.println("QueuePairsTest: " + count + " nodes of " + loops + " event loops, at most " + most + " links: " + pairs
        + " queue pairs, " + Nic.built().pinnedKiB(DEVICE) + " KiB pinned and " + Nic.built().contexts(DEVICE) + " contexts for the node");
      assertTrue(pairs <= Math.min(most, loops * (count - 1)) + (count - 1) * Math.min(ofPeer, loops), pairs + " queue pairs");
      assertTrue(pairs >= Math.min(most, loops * (count - 1)), pairs + " queue pairs");
    }
  }

  static final class Peers {
    static ChildJvm start(Path folder, int count, int loops, int most) throws Exception {
      Nic nic = Nic.built();
      return ChildJvm.startBy(List.of("env", "_JAVA_OPTIONS=-Xmx3g", "VERTX_RDMA_VERBS=" + nic.verbs(), "VERTX_RDMA_RDMACM=" + nic.cm(),
        Nic.PERSONALITIES + "=" + DEVICE), Peers.class, folder.toString(), Integer.toString(count), Integer.toString(loops),
        Integer.toString(most));
    }

    public static void main(String... arguments) throws Exception {
      int count = Integer.parseInt(arguments[1]), loops = Integer.parseInt(arguments[2]);
      Map<Vertx, Rdma> peers = new LinkedHashMap<>();
      for (int i = 1; i < count; i++) {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        peers.put(vertx, node(vertx, Integer.parseInt(arguments[3]), arguments[0]));
        Await.await(share(peers.get(vertx), i));
        System.out.println("shared");
      }
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      for (int loop = 0; loop < loops; loop++) {
        await(Future.all(peers.entrySet().stream().map(peer -> readAll(peer.getKey(), peer.getValue(), -1, 1)).toList()));
        System.out.println("read");
      }
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  /** Reads the first regions on a further event loop. @param own number of the region that is not read */
  private static Future<?> readAll(Vertx vertx, Rdma rdma, int own, int count) {
    Promise<Void> read = Promise.promise();
    ((VertxInternal) vertx).createEventLoopContext().runOnContext(v -> Future.all(IntStream.range(0, count).filter(number -> number != own)
      .mapToObj(number -> rdma.openRegion("table-" + number).compose(region -> region.read(0, 64))).toList()).<Void>mapEmpty()
      .onComplete(read));
    return read.future();
  }

  private static void await(Future<?> reads) throws Exception {
    reads.toCompletionStage().toCompletableFuture().get(MOST_SECONDS, TimeUnit.SECONDS);
  }
}
