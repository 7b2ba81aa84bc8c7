package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class ZeroCopyProcessTest {
  private static final int HELD = 3;
  /**
   * Messages that were being read when the peer died: if no fabric reports the end of the reads, they may be written to until the node
   * closes.
   */
  private static final int BEING_READ = 2;

  @TempDir
  Path folder;

  static Stream<String> fabrics() {
    return Fabrics.ALL.stream();
  }

  private final LogLines log = new LogLines(DeviceLoop.class);

  @AfterEach
  void stopListening() {
    log.close();
  }

  private static int inUse(Rdma node) {
    try {
      return await(node.statistics()).devices().stream().mapToInt(DeviceStatistics::zeroCopyMessages).sum();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @Tag("full")
  @MethodSource("fabrics")
  void aKilledPeerTakesNothingWithIt(String fabric) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      String directory = folder.resolve("directory").toString();
      Fabrics here = new Fabrics(vertx, directory, List.of(fabric));
      Assumptions.assumeTrue(here.nodes().containsKey(fabric), () -> here.missing(fabric));
      Rdma node = here.nodes().get(fabric);
      List<RdmaMessage> held = new CopyOnWriteArrayList<>();
      List<String> over = new CopyOnWriteArrayList<>();
      AtomicInteger received = new AtomicInteger();
      await(node.createServer().connectHandler(connection -> {
        connection.closeHandler(v -> over.add("closed"));
        connection.messageHandler(message -> {
          received.incrementAndGet();
          if (message.isZeroCopy() && held.size() < HELD) {
            held.add(message.retain());
          }
        });
        ZeroCopyProcess.send(connection);
      }).listen("zero-copy over " + fabric));
      try (ChildJvm peer = ChildJvm.start(ZeroCopyProcess.class, directory, fabric)) {
        peer.await("ready");
        until("zero-copy messages are held on both sides", () -> held.size() == HELD && received.get() > 20 && inUse(node) > HELD);
        peer.signal("KILL");
        until("the loss of the peer is noticed", () -> over.contains("closed"));
      }
      for (RdmaMessage message : held) {
        assertArrayEquals(ZeroCopyProcess.bytes(), message.body().getBytes());
      }
      until("what was to be sent came back", () -> inUse(node) <= HELD + BEING_READ);
      held.forEach(RdmaMessage::release);
      assertTrue(inUse(node) <= BEING_READ, inUse(node) + " zero-copy messages are in use");
      await(vertx.close());
      assertEquals(List.of(), log.lines());
    } finally {
      await(vertx.close());
    }
  }
}
