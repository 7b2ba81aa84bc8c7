package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.cluster.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.page.RdmaPage;
import io.github.vertxrdma.page.RdmaPageOptions;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A node that goes on until it is stopped: once a second it greets the others on the clustered event bus and counts itself on each other's
 * board, a region that each node shares; it prints whom it heard, and over what. While it hears somebody it touches the file
 * {@code heard} in its temporary folder, for health checks. If it is asked to it serves the page of the cluster, whose token is the environment
 * variable {@code VERTX_RDMA_PAGE_TOKEN}, or a random one that it prints; and its meters to Prometheus.
 */
final class BusNode {
  private static final String GREETINGS = "greetings";
  private static final String PAGE_TOKEN = "VERTX_RDMA_PAGE_TOKEN";
  private static final long PERIOD_MILLIS = 1000;

  private final Demo.BusNode arguments;
  private final Vertx vertx;
  private final Rdma rdma;
  private final PrometheusPort prometheus;
  private final Path heard = Path.of(System.getProperty("java.io.tmpdir"), "heard");
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, Future<RemoteRegion>> boards = new HashMap<>();
  private NodeStatistics statistics;
  private int greetings;
  private volatile boolean stopping;

  private BusNode(Demo.BusNode arguments, Vertx vertx, Rdma rdma, PrometheusPort prometheus) {
    this.arguments = arguments;
    this.vertx = vertx;
    this.rdma = rdma;
    this.prometheus = prometheus;
  }

  static int run(Demo.BusNode arguments) throws Exception {
    // The event bus and this class are one node, so their options are the same.
    if (arguments.fabric != null) {
      System.setProperty("vertx.rdma.fabric", arguments.fabric);
    }
    String host = Members.address(arguments.host, System.nanoTime()).orElseThrow();
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
      BusNode node = new BusNode(arguments, vertx, Rdma.create(vertx, new RdmaOptions().setFabric(arguments.fabric)), prometheus);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> node.stop(stopped)));
      vertx.runOnContext(v -> node.start());
    }).onFailure(cause -> fail(arguments.node, cause));
    stopped.await();
    return 0;
  }

  private void stop(CountDownLatch stopped) {
    stopping = true;
    try {
      DemoNode.await(vertx.close());
      print("stopped");
    } catch (Exception e) {
      print("did not stop in order: " + DemoNode.cause(e).getMessage());
    }
    stopped.countDown();
  }

  private void start() {
    look().compose(v -> vertx.eventBus().<JsonObject>consumer(GREETINGS, message -> greeted(message.body())).completion())
      .compose(v -> rdma.createRegion(new RegionOptions().setName(board(arguments.node)).setSize(4096)
        .setAccess(Set.of(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC))))
      .compose(this::watch).compose(v -> page()).compose(v -> metrics()).onSuccess(v -> {
        print("is up as " + statistics.nodeId() + " and shares '" + board(arguments.node) + "'");
        vertx.setPeriodic(PERIOD_MILLIS, id -> greet());
      }).onFailure(cause -> fail(arguments.node, cause));
  }

  private static void fail(String node, Throwable cause) {
    System.out.println(node + " | failed: " + cause.getMessage());
    System.out.flush();
    Runtime.getRuntime().halt(1);
  }

  private Future<Void> watch(MemoryRegion ignored) {
    return rdma.directory().map(directory -> directory.watchNodes(event -> {
      String node = event.entry().nodeId();
      String name = names.get(node);
      if (event.type() == DirectoryEvent.Type.REMOVED && name != null && !stopping) {
        print("lost " + name);
        names.remove(node);
        boards.remove(name);
      }
    })).mapEmpty();
  }

  private Future<Void> page() {
    if (arguments.page == null) {
      return Future.succeededFuture();
    }
    // Compose sets what is not given to nothing.
    String given = System.getenv(PAGE_TOKEN);
    String token = given == null || given.isEmpty() ? null : given;
    int colon = arguments.page.lastIndexOf(':');
    RdmaPage page = new RdmaPage(rdma, new RdmaPageOptions().setHost(arguments.page.substring(0, colon))
      .setPort(Integer.parseInt(arguments.page.substring(colon + 1))).setToken(token));
    return vertx.deployVerticle(page).<Void>map(id -> {
      print("serves the page of the cluster: " + (token == null ? page.url() : arguments.page + ", for who knows its token"));
      return null;
    }).recover(cause -> {
      print("no page: " + cause.getMessage());
      return Future.succeededFuture();
    });
  }

  private Future<Void> metrics() {
    return prometheus == null ? Future.succeededFuture() : prometheus.serve(vertx, rdma).<Void>mapEmpty().recover(cause -> {
      print("no metrics: " + cause.getMessage());
      return Future.succeededFuture();
    });
  }

  private Future<Void> look() {
    return rdma.statistics().map(now -> {
      statistics = now;
      return null;
    });
  }

  private void greet() {
    look();
    vertx.eventBus().publish(GREETINGS, new JsonObject().put("from", arguments.node).put("id", statistics.nodeId())
      .put("number", ++greetings));
    // By the names that were heard, so that one that is gone is not asked for.
    names.values().stream().distinct().forEach(this::count);
  }

  private void greeted(JsonObject greeting) {
    String from = greeting.getString("from");
    if (from.equals(arguments.node)) {
      return;
    }
    names.put(greeting.getString("id"), from);
    print("heard " + from + ", greeting " + greeting.getInteger("number") + ", over " + over(greeting.getString("id")));
    touch();
  }

  /** The way of a peer's messages: the fabric of the connection that its event bus made to this one. */
  private String over(String peer) {
    for (DeviceStatistics device : statistics.devices()) {
      for (ConnectionStatistics connection : device.connections()) {
        if (connection.peer().equals(peer) && !connection.outgoing() && !connection.service().equals("regions")) {
          return device.device() + " (" + device.provider() + ")";
        }
      }
    }
    return "TCP";
  }

  private void count(String peer) {
    Future<RemoteRegion> board = boards.get(peer);
    if (board == null) {
      Future<RemoteRegion> opened = rdma.openRegion(board(peer));
      boards.put(peer, opened);
      opened.onFailure(cause -> boards.remove(peer, opened));
    } else if (board.succeeded()) {
      board.result().fetchAndAdd(0, 1).onSuccess(before -> print("counted itself on the board of " + peer + ", which stands at "
        + (before + 1) + ", over " + board.result().fabric())).onFailure(cause -> {
          print("the board of " + peer + " is gone: " + cause.getMessage());
          boards.remove(peer, board);
        });
    }
  }

  private static String board(String node) {
    return "board of " + node;
  }

  private void touch() {
    try {
      if (Files.notExists(heard)) {
        Files.createFile(heard);
      }
      Files.setLastModifiedTime(heard, FileTime.fromMillis(System.currentTimeMillis()));
    } catch (IOException e) {
      print("cannot touch " + heard + ": " + e.getMessage());
    }
  }

  private void print(String words) {
    System.out.println(arguments.node + " | " + words);
    System.out.flush();
  }
}
