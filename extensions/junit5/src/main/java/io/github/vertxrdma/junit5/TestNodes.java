package io.github.vertxrdma.junit5;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Nodes of one test. Thread-safe. */
final class TestNodes implements RdmaTestFabric {
  private static final long CLOSE_SECONDS = 20;
  private static final long LEFT_SECONDS = 5;
  private static final int ATTEMPTS_TO_DELETE = 100;
  private static final long LOOK_MILLIS = 10;

  private final InMemoryFabric fabric = InMemoryFabric.named("memory-" + UUID.randomUUID());
  private final Path folder = temporary();
  private final Map<String, TestNode> nodes = new HashMap<>();
  /** Names of the devices of all nodes, including killed ones. */
  private final Set<String> devices = new HashSet<>();
  private final List<Future<Void>> ends = new ArrayList<>();

  /** A node. Its Vert.x and {@link Rdma} are created on first use. */
  private static final class TestNode {
    final String device;
    Vertx vertx;
    Rdma rdma;

    TestNode(String device) {
      this.device = device;
    }
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("vertx-rdma-test");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TestNode of(String name) {
    return nodes.computeIfAbsent(name, n -> {
      String device = n;
      for (int i = 2; !devices.add(device); i++) {
        device = n + '#' + i;
      }
      return new TestNode(device);
    });
  }

  /** Throws if there is no such node. */
  private String device(String name) {
    TestNode node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException("there is no node '" + name + "' in this test; there are " + nodes.keySet());
    }
    return node.device;
  }

  @Override
  public synchronized Vertx vertx(String name) {
    TestNode node = of(name);
    if (node.vertx == null) {
      node.vertx = Vertx.vertx();
    }
    return node.vertx;
  }

  @Override
  public synchronized Rdma node(String name) {
    TestNode node = of(name);
    if (node.rdma == null) {
      RdmaOptions options = options().setName(name);
      options.getSettings().put("memory.node", node.device);
      node.rdma = Rdma.create(vertx(name), options);
    }
    return node.rdma;
  }

  /** Returns options for nodes that the test creates itself. {@link #cut} cannot name them. */
  RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric.name()).setSettings(new JsonObject().put("memory.name", fabric.name()))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()));
  }

  @Override
  public synchronized void cut(String node, String other) {
    if (node.equals(other)) {
      throw new IllegalArgumentException("cannot cut the connection of node '" + node + "' with itself: name two different nodes");
    }
    fabric.cut(device(node), device(other));
  }

  @Override
  public synchronized void join(String node, String other) {
    fabric.join(device(node), device(other));
  }

  @Override
  public synchronized void kill(String name) {
    String killed = device(name);
    // Cuts first, because a killed process sends no more messages.
    fabric.cut(killed);
    TestNode node = nodes.remove(name);
    if (node.vertx != null) {
      ends.add(node.vertx.close());
    }
  }

  @Override
  public void delay(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("invalid delay " + time + ": it must not be negative");
    }
    fabric.delay(time);
  }

  /** @param passed true if open objects are a failure */
  void close(boolean passed) throws Exception {
    fabric.delay(Duration.ZERO);
    try {
      List<Future<Void>> closing;
      synchronized (this) {
        closing = new ArrayList<>(ends);
        nodes.values().stream().filter(node -> node.vertx != null).forEach(node -> closing.add(node.vertx.close()));
      }
      Future.join(closing).await(CLOSE_SECONDS, TimeUnit.SECONDS);
      if (passed) {
        awaitNothingOpen();
      }
    } finally {
      InMemoryFabric.forget(fabric.name());
      delete();
    }
  }

  /** Waits until nothing is open, because event loops may still run a close. */
  private void awaitNothingOpen() throws InterruptedException {
    long start = System.nanoTime();
    for (Map<String, Long> open = fabric.open(); !open.isEmpty(); open = fabric.open()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LEFT_SECONDS)) {
        throw new AssertionError("the test did not close these objects of its fabric: " + open + ". Close each Vert.x that the test "
          + "creates");
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private void delete() throws IOException, InterruptedException {
    for (int attempts = ATTEMPTS_TO_DELETE; Files.exists(folder); attempts--) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (DirectoryNotEmptyException | UncheckedIOException e) {
        // A node that the test left open creates its files again.
        if (attempts == 0) {
          throw e;
        }
        Thread.sleep(LOOK_MILLIS);
      }
    }
  }
}
