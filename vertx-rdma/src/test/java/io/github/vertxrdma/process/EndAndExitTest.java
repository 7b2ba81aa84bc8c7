package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class EndAndExitTest {
  /** Messages that the reader leaves unread until the writer has ended; fewer than the connection's receives. */
  private static final int UNREAD = 5;

  @TempDir
  Path folder;

  static Stream<String> fabrics() {
    return Fabrics.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("fabrics")
  void endThenExitLosesNothing(String fabric) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      String directory = folder.resolve("directory").toString();
      Fabrics here = new Fabrics(vertx, directory, List.of(fabric));
      Assumptions.assumeTrue(here.nodes().containsKey(fabric), () -> here.missing(fabric));
      List<Buffer> read = new CopyOnWriteArrayList<>();
      List<String> over = new CopyOnWriteArrayList<>();
      List<RdmaConnection> connections = new CopyOnWriteArrayList<>();
      await(here.nodes().get(fabric).createServer().connectHandler(connection -> {
        connections.add(connection);
        connection.endHandler(v -> over.add("ended")).closeHandler(v -> over.add("closed")).handler(message -> {
          read.add(message);
          if (read.size() == PeerProcess.MESSAGES - UNREAD) {
            connection.pause();
          }
        });
      }).listen("reader over " + fabric));
      try (LogLines log = new LogLines("io.github.vertxrdma.impl.node.PeerLinks");
        ChildJvm writer = ChildJvm.start(PeerProcess.class, directory, PeerProcess.END, fabric)) {
        assertEquals(0, writer.waitFor());
        until("the end of the writer's node is logged", () -> !log.lines().isEmpty());
        String line = log.lines().getFirst();
        assertTrue(line.matches("Node PeerProcess-" + writer.pid() + " \\([0-9a-f]{8}\\) has ended: its process ended"), line);
      }
      until("the loss of the writer is noticed", () -> over.contains("closed"));
      assertEquals(List.of("closed"), over);
      assertEquals(PeerProcess.MESSAGES - UNREAD, read.size());
      connections.getFirst().resume();
      until("the end has come", () -> over.contains("ended"));
      assertEquals(PeerProcess.MESSAGES, read.size());
      for (int i = 0; i < read.size(); i++) {
        assertEquals(Traffic.message(i), read.get(i));
      }
    } finally {
      await(vertx.close());
    }
  }
}
