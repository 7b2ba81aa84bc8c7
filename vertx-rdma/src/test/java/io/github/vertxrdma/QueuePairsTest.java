package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.nic.Nic;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts what an adapter holds for nodes of which each event loop reads a region of each other node; docs/scale.adoc has the figures. */
@Tag("full")
@Timeout(300)
class QueuePairsTest {
  private static final String DEVICE = "mlx5";
  private static final int LOOPS = 4;

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
    return Rdma.create(vertx, new RdmaOptions().setFabric("verbs-rocev2").setMaxRegionLinks(most)
      .setSettings(new JsonObject().put("verbs.device", DEVICE).put("verbs.connect", "exchange"))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())));
  }

  @ParameterizedTest
  @CsvSource({"2, 512", "4, 512", "8, 512", "8, 7"})
  void queuePairsArePairsOfAnEventLoopAndANodeUpToTheLimit(int count, int most) throws Exception {
    List<Rdma> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(node(most));
      Await.await(all.getLast().createRegion(new RegionOptions().setName("table-" + i).setSize(4096).setAccess(RegionAccess.READ)));
    }
    for (int from = 0; from < count; from++) {
      for (int loop = 0; loop < LOOPS; loop++) {
        VertxInternal vertx = (VertxInternal) nodes.get(from);
        Rdma rdma = all.get(from);
        Promise<Void> read = Promise.promise();
        int own = from;
        vertx.createEventLoopContext().runOnContext(v -> readAll(rdma, own, count, 0).onComplete(read));
        Await.await(read.future());
      }
    }
    int pairs = Nic.built().queuePairs(DEVICE) / count;
    System.out.println("QueuePairsTest: " + count + " nodes of " + LOOPS + " event loops, at most " + most + " links: " + pairs
      + " queue pairs and " + Nic.built().pinnedKiB(DEVICE) / count + " KiB pinned for each node, " + Nic.built().contexts(DEVICE)
      + " contexts of the process");
    // Of each link both ends are in this process. A link serves both directions if it is on the right event loop.
    assertTrue(pairs <= 2 * Math.min(most, LOOPS * (count - 1)), pairs + " queue pairs");
    assertTrue(pairs >= count - 1, pairs + " queue pairs");
  }

  private static Future<Void> readAll(Rdma rdma, int own, int count, int next) {
    if (next == count) {
      return Future.succeededFuture();
    }
    Future<?> read = next == own ? Future.succeededFuture() : rdma.openRegion("table-" + next).compose(region -> region.read(0, 64));
    return read.compose(v -> readAll(rdma, own, count, next + 1));
  }
}
