package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class DeadWriterTest {
  @TempDir
  Path folder;

  private ChildJvm process(String port, String reading, String fabric) throws IOException {
    return ChildJvm.start(SocketProcess.class, port, reading, "vertx.rdma.runtime=" + folder.resolve("runtime"), "vertx.rdma.streams=all",
      "vertx.rdma.fabric=" + fabric);
  }

  @ParameterizedTest
  @CsvSource({"shm,paused,KILL", "shm,paused,TERM", "shm,reading,KILL", "shm,reading,TERM", "nio,paused,KILL", "nio,reading,KILL",
    "nio,reading,TERM"})
  void readerGetsCompletedWritesAndCloseWhenWriterDies(String fabric, String reading, String signal) throws Exception {
    try (ChildJvm reader = process("-", reading, fabric)) {
      String port = reader.await(SocketProcess.SERVES);
      try (ChildJvm writer = process(port, reading, fabric)) {
        reader.await(SocketProcess.CONNECTED);
        writer.await(SocketProcess.WRITTEN);
        writer.signal(signal);
        // Vert.x reports the close at once, and the end when the reader has everything.
        until("the close", () -> !reader.said(SocketProcess.CLOSED).isEmpty());
        if (reading.equals(SocketProcess.PAUSED)) {
          assertEquals(List.of("0"), reader.said(SocketProcess.CLOSED));
          reader.tell("resume");
        }
        until("the end", () -> !reader.said(SocketProcess.ENDED).isEmpty());
        assertEquals(List.of(String.valueOf(SocketProcess.BYTES)), reader.said(SocketProcess.ENDED));
        assertEquals(List.of(), reader.said(SocketProcess.EXCEPTION));
        until("the end of the writer's node is logged", () -> !reader.said(SocketProcess.LOGGED + "INFO Node ").isEmpty());
        List<String> logged = reader.said(SocketProcess.LOGGED + "INFO Node ");
        assertTrue(logged.size() == 1 && logged.getFirst().matches("SocketProcess-" + writer.pid()
          + " \\([0-9a-f]{8}\\) has ended: its process ended"), logged.toString());
        assertEquals(List.of(), reader.said(SocketProcess.LOGGED + "SEVERE"));
        assertEquals(List.of(), reader.said(SocketProcess.LOGGED + "WARNING"));
      }
    }
  }
}
