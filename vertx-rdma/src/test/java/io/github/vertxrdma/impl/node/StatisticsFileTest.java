package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that does not answer, such as a network disk, costs a node only its statistics. */
@Timeout(120)
class StatisticsFileTest {
  /** Milliseconds without a file after a node has started. */
  private static final long LEAST = 2_900;
  private static final long SEVERAL_PERIODS = 2_500;
  /** Milliseconds after which an unchanged node has looked at its figures again. */
  private static final long LONGEST_PAUSE = 6_000;
  /** Regions without a name; the file has room for about 30,000. */
  private static final int REGIONS = 40_000;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();

  @TempDir
  Path folder;

  @AfterEach
  void close() throws Exception {
    System.clearProperty("vertx.rdma.runtime");
    await(vertx.close());
  }

  private Node node() throws Exception {
    System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
    return await(Node.start(vertx, new RdmaOptions().setFabric("nio").setStatistics(true).setDirectory(new DirectoryOptions()
      .setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString())), null));
  }

  private static List<String> told() {
    try {
      return PublishedStatistics.read(ProcessHandle.current().pid());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void statisticsTooLongForTheFileAreTruncated() throws Exception {
    Node node = node();
    MemorySegment memory = Arena.global().allocate(Long.BYTES, Long.BYTES);
    List<Future<OwnedRegion>> regions = new ArrayList<>();
    for (int i = 0; i < REGIONS; i++) {
      regions.add(node.regions().share(node.context, new RegionOptions(), memory));
    }
    await(Future.all(regions));
    // A file that was written earlier counts fewer.
    AtomicReference<String> found = new AtomicReference<>();
    Await.until("the file tells of some of them, and how many others there are", () -> told().stream().anyMatch(text -> {
      found.set(text);
      NodeStatistics cut = RecordJson.read(NodeStatistics.class, Buffer.buffer(text));
      return cut.errors()
        .contains("statistics are too long: 0 connections, " + (REGIONS - cut.regions().size()) + " regions and 0 ways are left out");
    }), 2 * Await.PATIENCE_MILLIS);
    String text = found.get();
    int told = RecordJson.read(NodeStatistics.class, Buffer.buffer(text)).regions().size();
    assertTrue(told > REGIONS / 2 && told < REGIONS && text.length() <= PublishedStatistics.MOST,
      told + " regions, " + text.length() + " characters");
    await(node.close());
  }

  @Test
  @Tag("full")
  void removedFileOfIdleNodeIsRestored() throws Exception {
    Node node = node();
    Await.until("the file is written", () -> told().size() == 1);
    Path stat = folder.resolve("run").resolve("stat");
    for (int round = 0; round < 2; round++) {
      try (Stream<Path> files = Files.list(stat)) {
        for (Path each : files.toList()) {
          Files.delete(each);
        }
      }
      Await.until("the file is restored", () -> stat.toFile().list().length == 1 && told().size() == 1);
    }
    await(node.close());
  }

  private void pause(long millis) throws Exception {
    Promise<Void> over = Promise.promise();
    vertx.setTimer(millis, id -> over.complete());
    await(over.future());
  }

  @Test
  @Tag("full")
  void eventLoopWithoutTrafficIsNotAsked() throws Exception {
    Node node = node();
    LoopService idle = await(node.loops.loop(vertx.createEventLoopContext(), node.devices.ranked().getFirst()));
    Await.until("the file has the figures of the loop", () -> told().stream()
      .anyMatch(text -> RecordJson.read(NodeStatistics.class, Buffer.buffer(text)).devices().size() == 1));
    pause(LONGEST_PAUSE);
    CountDownLatch free = new CountDownLatch(1);
    idle.loop.eventLoop().execute(() -> {
      try {
        free.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    try {
      node.errors.refused(Reason.REJECTED, "by this test");
      Await.until("the file has the refusal", () -> told().stream()
        .anyMatch(text -> RecordJson.read(NodeStatistics.class, Buffer.buffer(text)).refused() == 1));
    } finally {
      free.countDown();
    }
    await(node.close());
  }

  @Test
  void theEventLoopDoesNotWaitForTheDisk() throws Exception {
    Node node = node();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answers = new CountDownLatch(1);
    StatisticsFile file = new StatisticsFile(node, () -> {
      asked.countDown();
      answers.await();
      return PublishedStatistics.create();
    });
    long started = System.nanoTime();
    file.start();
    assertTrue(asked.await(20, TimeUnit.SECONDS));
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
    assertTrue(millis >= LEAST, "written " + millis + " ms after the start of the node");
    pause(SEVERAL_PERIODS);
    Future<Void> closed = file.close();
    answers.countDown();
    await(closed);
    await(node.close());
    try (Stream<Path> left = Files.list(folder.resolve("run").resolve("stat"))) {
      assertEquals(0, left.count());
    }
  }
}
