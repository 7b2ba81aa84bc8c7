package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The node of one test: its Vert.x, its fabric and the folder of its directory. Used by one thread at a time. */
final class TestNode {
  private static final long CLOSE_SECONDS = 20;
  private static final long LEFT_SECONDS = 5;
  private static final long LOOK_MILLIS = 10;

  private final InMemoryFabric fabric = InMemoryFabric.named("memory-" + UUID.randomUUID());
  private final Path folder = temporary();
  private Vertx vertx;
  private Rdma rdma;

  private static Path temporary() {
    try {
      return Files.createTempDirectory("vertx-rdma-test");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Vertx vertx() {
    if (vertx == null) {
      vertx = Vertx.vertx();
    }
    return vertx;
  }

  Rdma rdma() {
    if (rdma == null) {
      rdma = Rdma.create(vertx(), options());
    }
    return rdma;
  }

  RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric.name()).setSettings(new JsonObject().put("memory.name", fabric.name()))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()));
  }

  /** Closes all of it. @param passed whether what is left open is a failure @throws AssertionError if something is */
  void close(boolean passed) throws Exception {
    try {
      if (vertx != null) {
        vertx.close().toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
      if (passed) {
        awaitNothingOpen();
      }
    } finally {
      InMemoryFabric.forget(fabric.name());
      delete();
    }
  }

  /** Event loops of other nodes may be busy with a close that was not waited for. */
  private void awaitNothingOpen() throws InterruptedException {
    long start = System.nanoTime();
    for (Map<String, Long> open = fabric.open(); !open.isEmpty(); open = fabric.open()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LEFT_SECONDS)) {
        throw new AssertionError("the test left open on its fabric: " + open + "; close each Vert.x that it made");
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private void delete() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
