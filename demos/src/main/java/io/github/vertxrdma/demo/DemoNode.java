package io.github.vertxrdma.demo;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member of the demo's cluster: a clustered Vert.x with RDMA. */
final class DemoNode {
  private static final int TIMEOUT_SECONDS = Integer.getInteger("vertx.rdma.demo.timeout", 60);
  /** The time to wait for a node of which nothing is heard. */
  static final Duration PATIENCE = Duration.ofSeconds(TIMEOUT_SECONDS);

  private static final String CLUSTER = "vertx-rdma-demo";

  private final Vertx vertx;
  private final Rdma rdma;

  DemoNode(Demo.Node node) throws Exception {
    this.vertx = await(Vertx.builder().withClusterManager(new HazelcastClusterManager(Clusters.of(node, CLUSTER, 0))).buildClustered());
    // Others may start much later: somebody starts each by itself, or the machine is busy.
    RdmaOptions options = new RdmaOptions().setFabric(node.fabric).setHost(node.host).setConnectTimeout(PATIENCE);
    if (node.fabric != null && node.fabric.endsWith("-profile")) {
      options.setSettings(new JsonObject().put("profiles", true));
    }
    this.rdma = Rdma.create(vertx, options);
  }

  Vertx vertx() {
    return vertx;
  }

  Rdma rdma() {
    return rdma;
  }

  /** Waits for a future; at most a minute, or the seconds of the system property {@code vertx.rdma.demo.timeout}. */
  static <T> T await(Future<T> future) throws Exception {
    return await(future, "");
  }

  /** @param what in which it is, for the message if that takes too long */
  private static <T> T await(Future<T> future, String what) throws Exception {
    try {
      return future.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException("nothing happened for " + TIMEOUT_SECONDS + " s" + what);
    }
  }

  /** Says why this node fails, and ends its process before anything is closed: that would wait for those who were lost. */
  static void failed(Throwable cause) {
    try {
      System.out.println("failed: " + Commands.words(cause));
      if (Boolean.getBoolean("vertx.rdma.demo.trace")) {
        cause.printStackTrace();
      }
      System.out.flush();
    } finally {
      // Also if there is no memory left for words.
      Runtime.getRuntime().halt(1);
    }
  }

  static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / 1048576.0);
  }

  /** Says which fabric was chosen, and why. */
  static void explain(FabricChoice choice) {
    System.out.println("fabric: " + choice);
    choice.strategies().forEach(strategy -> System.out.println("  " + strategy));
    choice.refused().forEach(refused -> System.out.println("  not " + refused));
  }

  void close() throws Exception {
    await(rdma.close(), " as it closed RDMA");
    await(vertx.close(), " as it left the cluster");
  }
}
