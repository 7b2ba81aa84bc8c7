package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.metrics.MicrometerMetrics;
import io.github.vertxrdma.metrics.RdmaMeters;
import io.github.vertxrdma.page.RdmaPage;
import io.github.vertxrdma.page.RdmaPageOptions;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node that greets the others on the clustered event bus, and counts itself on the board of each, a region that each node shares. Each
 * container runs one. With {@code demo bus} C ends without a word, and A and B when they have noticed that and have heard each other again.
 */
final class BusDemo {
  private static final String GREETINGS = "greetings";
  /** Written with each greeting that was received, for health checks. */
  private static final String HEARD = System.getProperty("java.io.tmpdir") + "/heard";
  private static final long OTHERS_SECONDS = 30;
  private static final int CONNECT_MILLIS = 500;
  private static final int PAUSE_MILLIS = 200;

  private final Demo.BusNode arguments;
  private final Vertx vertx;
  private final Rdma rdma;
  private final Map<String, String> names = new ConcurrentHashMap<>();
  private final Map<String, Future<RemoteRegion>> boards = new ConcurrentHashMap<>();
  private final Set<String> knownTo = ConcurrentHashMap.newKeySet();
  private final AtomicInteger heardSince = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile boolean lostOne;

  private BusDemo(Demo.BusNode arguments, Vertx vertx) {
    this.arguments = arguments;
    this.vertx = vertx;
    this.rdma = Rdma.create(vertx);
  }

  static int run(Demo.BusNode arguments) throws Exception {
    // The event bus and this class are one node, which has the options of the process.
    if (arguments.fabric != null) {
      System.setProperty("vertx.rdma.fabric", arguments.fabric);
    }
    InetSocketAddress self = new InetSocketAddress(InetAddress.getByName(arguments.host), arguments.port);
    awaitAnother(arguments.members, self);
    // Hazelcast ignores host names of other members when its own interface is set. A member without an address joins later by itself.
    List<String> members = arguments.members.stream().map(BusDemo::address).filter(address -> !address.isUnresolved())
      .map(NetUtil::toSocketAddressString).toList();
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Vertx vertx = Vertx.builder().withMetrics(new MicrometerMetrics(meters)).withClusterManager(new HazelcastClusterManager(
      QuietHazelcast.among("vertx-rdma-bus", self.getAddress().getHostAddress(), arguments.port, 1, members))).buildClustered().await();
    BusDemo demo = new BusDemo(arguments, vertx);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      demo.say(demo.close());
    }));
    if (arguments.metrics != null) {
      RdmaMeters.bind(vertx, demo.rdma, meters, Duration.ofSeconds(1), Tags.empty());
      URI at = URI.create("http://" + arguments.metrics);
      vertx.createHttpServer().requestHandler(request -> request.response()
        .putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").end(meters.scrape())).listen(at.getPort(), at.getHost())
        .onFailure(cause -> demo.say("no metrics: " + cause.getMessage()));
    }
    if (arguments.page != null) {
      URI at = URI.create("http://" + arguments.page);
      String token = System.getenv("VERTX_RDMA_PAGE_TOKEN");
      boolean isOwn = token != null && !token.isEmpty();
      RdmaPage page = new RdmaPage(demo.rdma, new RdmaPageOptions().setHost(at.getHost()).setPort(at.getPort())
        .setToken(isOwn ? token : null));
      // The URL contains the token. One that the user chose stays out of the output.
      vertx.deployVerticle(page)
        .onSuccess(id -> demo.say("serves the page of the cluster: " + (isOwn ? arguments.page + ", with your token" : page.url())))
        .onFailure(cause -> demo.say("no page: " + cause.getMessage()));
    }
    demo.start();
    demo.end.await();
    return 0;
  }

  /** Closes the node, as long as {@link Main#PATIENCE} allows. Returns what happened. */
  private String close() {
    try {
      Main.await(vertx.close());
      return "stopped";
    } catch (Exception e) {
      return "did not stop in order: " + e.getMessage();
    }
  }

  /**
   * Waits until another member listens, at most {@link #OTHERS_SECONDS}, unless this one is the first in the list. Nodes that start at the
   * same time would each begin a cluster of their own.
   */
  private static void awaitAnother(List<String> members, InetSocketAddress self) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(OTHERS_SECONDS);
    while (!address(members.getFirst()).equals(self) && members.stream().noneMatch(BusDemo::listens) && System.nanoTime() - end < 0) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private static boolean listens(String member) {
    try (Socket socket = new Socket()) {
      socket.connect(address(member), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static InetSocketAddress address(String member) {
    // Not as a URI, whose hosts have no underscores.
    int colon = member.lastIndexOf(':');
    return new InetSocketAddress(member.substring(0, colon), Integer.parseInt(member.substring(colon + 1)));
  }

  private void start() throws Exception {
    Main.await(vertx.eventBus().<JsonObject>consumer(GREETINGS, message -> heard(message.body())).completion());
    Main.await(rdma.createRegion(new RegionOptions().setName(GREETINGS + arguments.node).setSize(4096)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
    Main.await(rdma.directory()).watchNodes(event -> {
      String lost = event.type() == DirectoryEvent.Type.REMOVED ? names.remove(event.entry().nodeId()) : null;
      if (lost != null) {
        say("lost " + lost);
        boards.remove(lost);
        if (arguments.ends && lostOne) {
          end.countDown();
        }
        lostOne = true;
      }
    });
    String id = Main.await(rdma.statistics()).nodeId();
    say("is up as " + id);
    vertx.setPeriodic(1000, timer -> vertx.eventBus().publish(GREETINGS, new JsonObject().put("from", arguments.node).put("id", id)
      .put("knows", new JsonArray(List.copyOf(names.values())))));
  }

  private void heard(JsonObject greeting) {
    String from = greeting.getString("from");
    String id = greeting.getString("id");
    if (from.equals(arguments.node)) {
      return;
    }
    names.put(id, from);
    if (arguments.ends && arguments.node.equals("C") && greeting.getJsonArray("knows").contains("C") && knownTo.add(from)
      && knownTo.size() == 2) {
      say("ends without a word");
      Runtime.getRuntime().halt(0);
    }
    rdma.statistics().onSuccess(now -> {
      say("heard " + from + ", over " + now.devices().stream()
        .filter(each -> each.connections().stream().anyMatch(c -> c.peer().equals(id) && !c.outgoing() && !c.service().equals("regions")))
        .map(device -> device.device() + " (" + device.provider() + ")").findFirst().orElse("TCP"));
      if (arguments.ends && lostOne && heardSince.incrementAndGet() == 5) {
        end.countDown();
      }
    });
    boards.computeIfAbsent(from, peer -> rdma.openRegion(GREETINGS + peer)).onSuccess(board -> board.fetchAndAdd(0, 1)
      .onSuccess(before -> say("counted itself on the board of " + from + ", which stands at " + (before + 1) + ", over " + board.fabric()))
      .onFailure(cause -> boards.remove(from))).onFailure(cause -> boards.remove(from));
    vertx.fileSystem().writeFile(HEARD, Buffer.buffer(from)).onFailure(cause -> say(cause.getMessage()));
  }

  private void say(String words) {
    Main.say(arguments.node, words);
  }
}
