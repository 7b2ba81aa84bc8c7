package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One word that its owner, a peer over shared memory and a peer over sockets add to at once: one process executes all additions. */
@Timeout(180)
class ThreeWritersTest {
  private static final int ADDITIONS = 10_000;
  private static final int WINDOW = 32;

  @TempDir
  Path folder;

  private Rdma rdma(Vertx vertx, String fabric) {
    return Rdma.create(vertx, new RdmaOptions().setFabric(fabric)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString())));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
  }

  private static Future<Void> add(Supplier<Future<Long>> addition) {
    List<Future<Void>> chains = new ArrayList<>();
    for (int i = 0; i < WINDOW; i++) {
      chains.add(chain(addition, ADDITIONS / WINDOW + (i < ADDITIONS % WINDOW ? 1 : 0)));
    }
    return Future.all(chains).mapEmpty();
  }

  private static Future<Void> chain(Supplier<Future<Long>> addition, int times) {
    return times == 0 ? Future.succeededFuture() : addition.get().compose(old -> chain(addition, times - 1));
  }

  @Test
  void theSumIsExact() throws Exception {
    List<Vertx> all = List.of(Vertx.vertx(), Vertx.vertx(), Vertx.vertx());
    try {
      Rdma owner = rdma(all.get(0), null);
      MemoryRegion word = await(
        owner.createRegion(new RegionOptions().setName("word").setSize(8).setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
      List<RemoteRegion> peers = new ArrayList<>();
      for (String fabric : List.of("shm", "nio")) {
        Future<RemoteRegion> opened = rdma(all.get(peers.size() + 1), fabric).openRegion("word");
        opened.toCompletionStage().toCompletableFuture().handle((r, cause) -> cause).get(60, TimeUnit.SECONDS);
        Assumptions.assumeFalse(opened.failed() && opened.cause() instanceof RdmaException missing
          && missing.reason() == RdmaException.Reason.UNSUPPORTED, () -> opened.cause().getMessage());
        peers.add(await(opened));
        assertEquals(fabric, peers.getLast().fabric());
      }
      await(Future.all(add(() -> word.fetchAndAdd(0, 1)), add(() -> peers.get(0).fetchAndAdd(0, 1)),
        add(() -> peers.get(1).fetchAndAdd(0, 1))));
      assertEquals(3 * ADDITIONS, word.getAcquire(0));
    } finally {
      for (Vertx vertx : all) {
        await(vertx.close());
      }
    }
  }
}
