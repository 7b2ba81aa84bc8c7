package io.github.vertxrdma.junit5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(RdmaExtension.class)
class RdmaExtensionTest {
  private Vertx before;

  @BeforeEach
  void prepare(Vertx vertx) {
    before = vertx;
  }

  @Test
  void aTestHasOneVertx(Vertx vertx) {
    assertSame(before, vertx);
  }

  @Test
  void additionalNodesConnectToTheFirst(Rdma rdma, RdmaOptions options) throws Exception {
    MemoryRegion region = await(rdma.createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ)));
    Vertx another = Vertx.vertx();
    try {
      assertEquals(region.size(), await(Rdma.create(another, options).openRegion("table")).size());
    } finally {
      await(another.close());
    }
  }

  @Test
  void testsAreIsolatedFromEachOther(RdmaOptions mine) throws Exception {
    TestNodes other = new TestNodes();
    assertNotEquals(mine.getFabric(), other.options().getFabric());
    assertNotEquals(mine.getDirectory().getPath(), other.options().getDirectory().getPath());
    other.close(true);
  }

  @Test
  void extensionClosesAllNodes() throws Exception {
    TestNodes node = new TestNodes();
    Path folder = Path.of(node.options().getDirectory().getPath());
    await(node.node(RdmaTestFabric.TEST).createRegion(new RegionOptions().setSize(64)));
    assertTrue(Files.exists(folder));
    Vertx vertx = node.vertx(RdmaTestFabric.TEST);
    node.close(true);
    assertTrue(((VertxInternal) vertx).closeFuture().isClosed());
    assertFalse(Files.exists(folder));
  }

  @Test
  void nodeLeftOpenFailsAPassedTest() throws Exception {
    Vertx left = Vertx.vertx();
    try {
      TestNodes failed = new TestNodes();
      await(Rdma.create(left, failed.options()).createServer().connectHandler(connection -> {}).listen("left"));
      failed.close(false);
      TestNodes passed = new TestNodes();
      await(Rdma.create(left, passed.options()).createServer().connectHandler(connection -> {}).listen("left"));
      String words = assertThrows(AssertionError.class, () -> passed.close(true)).getMessage();
      assertTrue(words.startsWith("the test did not close these objects of its fabric: {"), words);
    } finally {
      await(left.close());
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
