package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many connections of one process send large messages that together exceed the heap of the receiver. */
@Timeout(300)
class LargeMessagesProcessTest {
  private static final int CONNECTIONS = 12;
  /** Bytes that may wait for a paused connection. Messages in flight add to them. */
  private static final int OF_PAUSED = 8 << 20;
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @TempDir
  Path folder;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static long sent(Rdma node) {
    return await(node.statistics().map(found -> found.devices().stream().flatMap(device -> device.connections().stream())
      .map(ConnectionStatistics::traffic).mapToLong(traffic -> traffic.bytesSent()).sum()), 0L);
  }

  /** Returns the bytes that were sent when no more are. */
  private static long takenByPausedReader(Rdma node, long least) {
    AtomicLong before = new AtomicLong();
    AtomicLong since = new AtomicLong();
    until("the reader takes no more", () -> {
      long now = sent(node);
      if (before.getAndSet(now) != now) {
        since.set(System.nanoTime());
      }
      return now >= least && System.nanoTime() - since.get() > QUIET_NANOS;
    });
    return before.get();
  }

  private static void assertAnswers(RdmaConnection honest) throws Exception {
    Promise<Buffer> answer = Promise.promise();
    honest.handler(answer::tryComplete);
    honest.write(Buffer.buffer("hello"));
    assertEquals("hello", await(answer.future()).toString());
  }

  /** Nothing limits them for all connections of a peer. */
  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  void messagesThatNeedNoAdmissionAreLimitedForEachConnection(String fabric) throws Exception {
    int connections = 6;
    int messages = 24;
    try (ChildJvm reader = ChildJvm.start(LargeReader.class, folder.toString(), fabric)) {
      reader.await("ready");
      Rdma node = new Fabrics(vertx, folder.toString(), List.of(fabric)).nodes().get(fabric);
      RdmaConnection honest = await(node.connect("reader"));
      Buffer body = Buffer.buffer(new byte[1 << 20]);
      for (int i = 0; i < connections; i++) {
        RdmaConnection each = await(node.connect("reader", new RdmaConnectOptions().setPrivateData(Buffer.buffer("paused"))));
        for (int message = 0; message < messages; message++) {
          each.write(body);
        }
      }
      long taken = takenByPausedReader(node, connections * OF_PAUSED / 2);
      assertTrue(taken < connections * 2L * OF_PAUSED, taken + " bytes were sent while the reader had paused");
      assertAnswers(honest);
      reader.send("resume");
      for (int i = 0; i < connections * messages; i++) {
        reader.await("got ");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  void messagesArriveOneAfterTheOther(String fabric) throws Exception {
    try (ChildJvm reader = ChildJvm.start(LargeReader.class, folder.toString(), fabric)) {
      reader.await("ready");
      Rdma node = new Fabrics(vertx, folder.toString(), List.of(fabric)).nodes().get(fabric);
      RdmaConnection honest = await(node.connect("reader"));
      Buffer body = Buffer.buffer(LargeReader.bytes());
      List<RdmaConnection> connections = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        connections.add(await(node.connect("reader", new RdmaConnectOptions().setPrivateData(Buffer.buffer("paused")))));
      }
      connections.forEach(connection -> connection.write(body));
      long taken = takenByPausedReader(node, LargeReader.SIZE);
      assertTrue(taken < (long) CONNECTIONS * LargeReader.SIZE, taken + " bytes were sent while the reader had paused");
      assertAnswers(honest);
      reader.send("resume");
      for (int i = 0; i < CONNECTIONS; i++) {
        assertEquals("true", reader.await("got "));
      }
      // The connections now read at once.
      connections.forEach(connection -> connection.write(body));
      for (int i = 0; i < CONNECTIONS; i++) {
        assertEquals("true", reader.await("got "));
      }
    }
  }
}
