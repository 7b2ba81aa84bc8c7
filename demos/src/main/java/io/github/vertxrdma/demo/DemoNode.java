package io.github.vertxrdma.demo;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.QuietHazelcast;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A member of the demo's cluster: a clustered Vert.x with RDMA. */
final class DemoNode implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;

  private final Vertx vertx;
  private final Rdma rdma;

  /**
   * @param fabric the one fabric to use, null for the best
   * @param port first port of the cluster
   * @param members how many there are
   */
  DemoNode(String fabric, int port, int members) throws Exception {
    this.vertx = await(Vertx.builder()
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("vertx-rdma-demo", port, members)))
      .buildClustered());
    RdmaOptions options = new RdmaOptions().setFabric(fabric);
    if (fabric != null && fabric.endsWith("-profile")) {
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

  /** Waits for a future; at most a minute. */
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
  static int failed(Exception e) {
    Throwable cause = cause(e);
    System.out.println("failed: " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
    if (Boolean.getBoolean("vertx.rdma.demo.trace")) {
      cause.printStackTrace();
    }
    System.out.flush();
    Runtime.getRuntime().halt(1);
    return 1;
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

  @Override
  public void close() throws Exception {
    await(rdma.close());
    await(vertx.close());
  }
}
