package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.page.RdmaPage;
import io.github.vertxrdma.page.RdmaPageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CountDownLatch;

/**
 * A node that goes on until it is stopped, with a {@link Greeter}. While it hears somebody it touches the file {@code heard} in its
 * temporary folder, for health checks. If it is asked to it serves the page of the cluster, whose token is the environment variable
 * {@code VERTX_RDMA_PAGE_TOKEN}, or a random one that it prints; and its meters to Prometheus.
 */
final class BusNode {
  private static final String PAGE_TOKEN = "VERTX_RDMA_PAGE_TOKEN";

  private final Demo.BusNode arguments;
  private final Vertx vertx;
  private final Rdma rdma;
  /** Null for no page. */
  private final RdmaPageOptions page;
  private final PrometheusPort prometheus;
  private final Path heard = Path.of(System.getProperty("java.io.tmpdir"), "heard");
  private volatile boolean stopping;

  private BusNode(Demo.BusNode arguments, Vertx vertx, Rdma rdma, RdmaPageOptions page, PrometheusPort prometheus) {
    this.arguments = arguments;
    this.vertx = vertx;
    this.rdma = rdma;
    this.page = page;
    this.prometheus = prometheus;
  }

  static int run(Demo.BusNode arguments) throws Exception {
    // The event bus and this class are one node, so their options are the same.
    if (arguments.fabric != null) {
      System.setProperty("vertx.rdma.fabric", arguments.fabric);
    }
    String host = Members.address(arguments.host, System.nanoTime())
      .orElseThrow(
        () -> new UsageException("--host " + arguments.host + ": there is no host of that name; give the address that the others reach"));
    RdmaPageOptions page = pageOptions(arguments.page);
    if (arguments.fabric == null) {
      System.out.println(arguments.node + " | fabric auto: " + FabricChoice.at(InetAddress.ofLiteral(host)).inWords());
    }
    Config config = QuietHazelcast.among("vertx-rdma-bus", host, arguments.port, 1,
      Members.find(arguments.members, host + ":" + arguments.port));
    CountDownLatch stopped = new CountDownLatch(1);
    PrometheusPort prometheus = arguments.metrics == null ? null : new PrometheusPort(arguments.metrics);
    VertxBuilder builder = Vertx.builder().withClusterManager(new HazelcastClusterManager(config));
    if (prometheus != null) {
      builder.withMetrics(prometheus.ofVertx());
    }
    builder.buildClustered().onSuccess(vertx -> {
      BusNode node = new BusNode(arguments, vertx, Rdma.create(vertx, new RdmaOptions().setFabric(arguments.fabric)), page, prometheus);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> node.stop(stopped)));
      node.start();
    }).onFailure(cause -> fail(arguments.node, cause));
    stopped.await();
    return 0;
  }

  private void start() {
    page().compose(v -> metrics()).compose(v -> vertx.deployVerticle(new Greeter(arguments.node, rdma, this::print, this::touch)))
      .onFailure(cause -> fail(arguments.node, cause));
  }

  private void stop(CountDownLatch stopped) {
    stopping = true;
    try {
      DemoNode.await(vertx.close());
      say("stopped");
    } catch (Exception e) {
      say("did not stop in order: " + e.getMessage());
    }
    stopped.countDown();
  }

  private static void fail(String node, Throwable cause) {
    System.out.println(node + " | failed: " + cause.getMessage());
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }

  /** @param place host and port; null for no page */
  private static RdmaPageOptions pageOptions(String place) {
    if (place == null) {
      return null;
    }
    // Compose sets what is not given to nothing.
    String given = System.getenv(PAGE_TOKEN);
    int colon = place.lastIndexOf(':');
    try {
      return new RdmaPageOptions().setHost(place.substring(0, colon)).setPort(Integer.parseInt(place.substring(colon + 1)))
        .setToken(given == null || given.isEmpty() ? null : given);
    } catch (IllegalArgumentException e) {
      throw new UsageException(PAGE_TOKEN + ": " + e.getMessage());
    }
  }

  private Future<Void> page() {
    if (page == null) {
      return Future.succeededFuture();
    }
    RdmaPage served = new RdmaPage(rdma, page);
    return vertx.deployVerticle(served).onSuccess(id -> say("serves the page of the cluster: "
      + (page.getToken() == null ? served.url() : arguments.page + ", for who knows its token")))
      .onFailure(cause -> say("no page: " + cause.getMessage())).<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<Void> metrics() {
    return prometheus == null ? Future.succeededFuture() : prometheus.serve(vertx, rdma)
      .onFailure(cause -> say("no metrics: " + cause.getMessage())).<Void>mapEmpty().otherwiseEmpty();
  }

  private void touch() {
    try {
      if (Files.notExists(heard)) {
        Files.createFile(heard);
      }
      Files.setLastModifiedTime(heard, FileTime.fromMillis(System.currentTimeMillis()));
    } catch (IOException e) {
      say("cannot touch " + heard + ": " + e.getMessage());
    }
  }

  /** Prints it unless this node stops: that the others are lost to it then is no news. */
  private void print(String words) {
    if (!stopping) {
      say(words);
    }
  }

  private void say(String words) {
    System.out.println(arguments.node + " | " + words);
    System.out.flush();
  }
}
