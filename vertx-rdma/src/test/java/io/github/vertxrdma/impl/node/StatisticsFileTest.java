package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.statistics.StatisticsMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that does not answer, as a network's may, costs a node its statistics and nothing else. */
@Timeout(60)
class StatisticsFileTest {
  private static final long PERIOD = 1_000;
  private static final long SEVERAL_PERIODS = 2_500;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();

  @TempDir
  Path folder;

  @AfterEach
  void close() throws Exception {
    System.clearProperty("vertx.rdma.runtime");
    await(vertx.close());
  }

  @Test
  void theEventLoopDoesNotWaitForTheDisk() throws Exception {
    System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
    Node node = await(Node.start(vertx, new RdmaOptions().setFabric("nio").setStatistics(true).setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()))));
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    StatisticsFile file = new StatisticsFile(node, () -> {
      asked.countDown();
      answers.await();
      return StatisticsMap.create();
    });
    // Set before the file's, it fires before it, however busy the machine.
    Promise<Long> unasked = Promise.promise();
    node.context.setTimer(PERIOD, id -> unasked.complete(asked.getCount()));
    file.start();
    assertEquals(1, await(unasked.future()), "written beside the start of the node");
    assertTrue(asked.await(20, TimeUnit.SECONDS));
    Promise<Void> free = Promise.promise();
    node.context.setTimer(SEVERAL_PERIODS, id -> free.complete());
    await(free.future());
    Future<Void> closed = file.close();
    answers.countDown();
    await(closed);
    await(node.close());
    try (Stream<Path> left = Files.list(folder.resolve("run").resolve("stat"))) {
      assertEquals(0, left.count());
    }
  }
}
