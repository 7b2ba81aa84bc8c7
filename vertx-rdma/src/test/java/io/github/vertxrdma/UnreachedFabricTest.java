package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared memory reaches no peer, so connections use sockets. */
@Timeout(120)
class UnreachedFabricTest extends FabricPair {
  /** Short, because the length of a socket path is limited. */
  private Path runtime;

  @Override
  String fabric() {
    return "shm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setFabric(null).setSettings(new JsonObject().put("runtime", runtime.toString()));
  }

  @BeforeEach
  @Override
  void start() throws Exception {
    runtime = Files.createTempDirectory("vr");
    super.start();
  }

  @AfterEach
  @Override
  void stop() throws Exception {
    super.stop();
    new ProcessBuilder("rm", "-rf", runtime.toString()).inheritIO().start().waitFor();
  }

  /** Replaces the sockets of listeners, which they would restore, by files. */
  private void replaceSockets() throws Exception {
    try (Stream<Path> files = Files.list(runtime.resolve("shm"))) {
      for (Path each : files.filter(file -> !Files.isRegularFile(file)).toList()) {
        Files.delete(each);
        Files.createFile(each);
      }
    }
  }

  @Test
  void causeThatIsTheSameForEachConnectionIsLoggedOnce() throws Exception {
    await(server.createServer().connectHandler(connection -> {}).listen("echo"));
    assertEquals("shm", await(client.connect("echo")).fabric().fabric());
    replaceSockets();
    await(clientVertx.close());
    clientVertx = vertx();
    client = Rdma.create(clientVertx, options());
    try (LogLines log = new LogLines("io.github.vertxrdma.impl.node.Connector")) {
      for (int i = 0; i < 3; i++) {
        assertEquals("nio", await(client.connect("echo")).fabric().fabric());
      }
      List<String> lines = log.lines().stream().filter(line -> line.contains(" was not reached over shm, trying nio: ")).toList();
      assertEquals(1, lines.size(), lines::toString);
    }
  }
}
