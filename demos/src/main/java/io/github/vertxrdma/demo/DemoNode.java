package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.QuietHazelcast;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member of the demo's cluster: a clustered Vert.x with RDMA. */
final class DemoNode {
  private static final int TIMEOUT_SECONDS = Integer.getInteger("vertx.rdma.demo.timeout", 60);

  private static final String CLUSTER = "vertx-rdma-demo";

  private final Vertx vertx;
  private final Rdma rdma;

  /**
   * On this machine.
   *
   * @param fabric the one fabric to use, null for the best
   * @param port first port of the cluster
   */
  DemoNode(String fabric, int port) throws Exception {
    this(fabric, null, QuietHazelcast.loopback(CLUSTER, port, NodeDemo.NODES.size()));
  }

  /** A node of the share demo, on this machine or one of several. */
  DemoNode(ShareArguments arguments) throws Exception {
    this(arguments.fabric(), arguments.host(), cluster(arguments));
  }

  private DemoNode(String fabric, String host, Config cluster) throws Exception {
    this.vertx = await(Vertx.builder().withClusterManager(new HazelcastClusterManager(cluster)).buildClustered());
    RdmaOptions options = new RdmaOptions().setFabric(fabric).setHost(host);
    if (fabric != null && fabric.endsWith("-profile")) {
      options.setSettings(new JsonObject().put("profiles", true));
    }
    this.rdma = Rdma.create(vertx, options);
  }

  private static Config cluster(ShareArguments arguments) {
    int nodes = NodeDemo.NODES.size();
    if (arguments.host() == null) {
      return QuietHazelcast.loopback(CLUSTER, arguments.port(), nodes);
    }
    List<String> members = new ArrayList<>();
    for (String host : arguments.members()) {
      for (int i = 0; i < nodes; i++) {
        members.add(host + ":" + (arguments.port() + i));
      }
    }
    return QuietHazelcast.among(CLUSTER, arguments.host(), arguments.port(), nodes, members);
  }

  Vertx vertx() {
    return vertx;
  }

  Rdma rdma() {
    return rdma;
  }

  /** Waits for a future; at most a minute, or the seconds of the system property {@code vertx.rdma.demo.timeout}. */
  static <T> T await(Future<T> future) throws Exception {
    try {
      return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException("nothing happened for " + TIMEOUT_SECONDS + " s");
    }
  }

  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof ExecutionException || cause instanceof CompletionException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Says why this node fails, and ends its process before anything is closed: that would wait for those who were lost. */
  static void failed(Exception e) {
    Throwable cause = cause(e);
    System.out.println("failed: " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
    if (Boolean.getBoolean("vertx.rdma.demo.trace")) {
      cause.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(1);
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
    await(rdma.close());
    await(vertx.close());
  }
}
