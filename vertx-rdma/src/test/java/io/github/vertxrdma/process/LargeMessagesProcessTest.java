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
      AtomicLong before = new AtomicLong();
      AtomicLong since = new AtomicLong();
      until("the reader takes no more", () -> {
        long now = sent(node);
        if (before.getAndSet(now) != now) {
          since.set(System.nanoTime());
        }
        return now >= LargeReader.SIZE && System.nanoTime() - since.get() > QUIET_NANOS;
      });
      assertTrue(before.get() < (long) CONNECTIONS * LargeReader.SIZE, before + " bytes were sent while the reader had paused");
      Promise<Buffer> answer = Promise.promise();
      honest.handler(answer::tryComplete);
      honest.write(Buffer.buffer("hello"));
      assertEquals("hello", await(answer.future()).toString());
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
