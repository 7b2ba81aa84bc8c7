package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.metrics.RdmaMeters;
import io.github.vertxrdma.page.RdmaPage;
import io.github.vertxrdma.page.RdmaPageOptions;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node that publishes greetings on the clustered event bus, and increments a counter in a region of each other node. Each container runs
 * one. In {@code demo bus}, C exits without closing. A and B end after they noticed this and received further greetings.
 */
final class BusDemo {
  private static final String GREETINGS = "greetings";
  private static final String HEALTH_FILE = System.getProperty("java.io.tmpdir") + "/greeted";
  private final Demo.BusNode arguments;
  private final Rdma rdma;
  /** Names of nodes that greeted this node; true if they also received a greeting of this node. */
  private final Map<String, Boolean> greeters = new ConcurrentHashMap<>();
  private final Map<String, Future<RemoteRegion>> boards = new ConcurrentHashMap<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger greetingsSinceLoss = new AtomicInteger(Integer.MIN_VALUE);
  private final Promise<Void> end = Promise.promise();

  private BusDemo(Demo.BusNode arguments, Vertx vertx) {
    this.arguments = arguments;
    this.rdma = Rdma.create(vertx);
  }

  static int run(Demo.BusNode arguments) throws Exception {
    // The event bus and this class share one node, which has the options of the process.
    System.setProperty("vertx.rdma.name", arguments.node);
    if (arguments.fabric != null) {
      System.setProperty("vertx.rdma.fabric", arguments.fabric);
    }
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setPort(Integer.getInteger("vertx.rdma.demo.busPort", 0));
    Vertx vertx = Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(QuietHazelcast.named("vertx-rdma-bus",
      arguments.host, arguments.port, arguments.members))).withMetrics(new MicrometerMetricsFactory(meters)).buildClustered().await();
    BusDemo demo = new BusDemo(arguments, vertx);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> vertx.close().onSuccess(v -> demo.say("stopped"))
      .onFailure(cause -> demo.say("did not stop in order: " + cause.getMessage())).await()));
    demo.serveMetrics(meters);
    demo.servePage();
    demo.greet();
    return demo.end.future().map(0).await();
  }

  private void serveMetrics(PrometheusMeterRegistry meters) {
    if (arguments.metrics != null) {
      RdmaMeters.bind(rdma, meters, Duration.ofSeconds(1), Tags.empty());
      HostAndPort at = HostAndPort.parseAuthority(arguments.metrics, -1);
      rdma.vertx().createHttpServer().requestHandler(request -> {
        var response = request.response();
        switch (request.path()) {
          case "/started" -> rdma.directory().onComplete(done -> response.setStatusCode(done.succeeded() ? 200 : 503).end());
          case "/ready" -> rdma.health().onSuccess(now -> response.setStatusCode(now.up() ? 200 : 503).end(now.toJson().encode()));
          case "/live" -> response.end();
          default -> response.putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").end(meters.scrape());
        }
      }).listen(at.port(), at.host()).onFailure(cause -> say("no metrics: " + cause.getMessage()));
    }
  }

  private void servePage() {
    if (arguments.page != null) {
      HostAndPort at = HostAndPort.parseAuthority(arguments.page, -1);
      String token = System.getenv().getOrDefault("VERTX_RDMA_PAGE_TOKEN", "");
      RdmaPageOptions options = new RdmaPageOptions().setHost(at.host()).setPort(at.port());
      RdmaPage page = new RdmaPage(rdma, token.isEmpty() ? options : options.setToken(token));
      rdma.vertx().deployVerticle(page).onFailure(cause -> say("no page: " + cause.getMessage()))
        .onSuccess(id -> say("serves the page of the cluster: " + (token.isEmpty() ? page.url() : arguments.page + ", with your token")));
    }
  }

  private void greet() throws Exception {
    Main.await(rdma.vertx().eventBus().<JsonObject>consumer(GREETINGS, message -> greetedBy(message.body())).completion());
    rdma.vertx().eventBus().consumer("names", question -> question.reply(arguments.node));
    Main.await(rdma.vertx().deployVerticle("rdma:names"));
    Main.await(rdma.createRegion(new RegionOptions().setName(GREETINGS + arguments.node).setSize(4096)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
    Main.await(rdma.directory()).watchNodes(event -> {
      String name = ((NodeEntry) event.entry()).name();
      if (event.type() == DirectoryEvent.Type.REMOVED && greeters.remove(name) != null) {
        say("lost " + name);
        boards.remove(name);
        if (arguments.ends && greetingsSinceLoss.getAndSet(0) >= 0) {
          end.tryComplete();
        }
      }
    });
    String id = Main.await(rdma.statistics()).nodeId();
    say("is up as " + id);
    rdma.vertx().setPeriodic(1000, timer -> rdma.vertx().eventBus().publish(GREETINGS,
      JsonObject.of("from", arguments.node, "id", id, "knows", List.copyOf(greeters.keySet()))));
  }

  private void greetedBy(JsonObject greeting) {
    String from = greeting.getString("from");
    if (from.equals(arguments.node)) {
      return;
    }
    greeters.put(from, greeting.getJsonArray("knows").contains(arguments.node));
    if (arguments.ends && arguments.node.equals("C") && greeters.size() == 2 && !greeters.containsValue(false)) {
      say("exits without closing");
      Runtime.getRuntime().halt(0);
    }
    rdma.statistics().onSuccess(now -> {
      say("greeted by " + from + ", over " + now.devices().stream().filter(device -> device.connections().stream()
        .anyMatch(c -> c.peer().equals(greeting.getString("id")) && !c.outgoing() && !c.service().equals("regions")))
        .map(device -> device.device() + " (" + device.provider() + ")").findFirst().orElse("TCP"));
      if (arguments.ends && greetingsSinceLoss.incrementAndGet() == 5) {
        end.tryComplete();
      }
    });
    boards.computeIfAbsent(from, peer -> rdma.openRegion(GREETINGS + peer)).compose(board -> board.fetchAndAdd(0, 1)
      .onSuccess(count -> say("added 1 to the counter of " + from + ", which is now " + (count + 1) + ", over " + board.fabric())))
      .onComplete(count -> failures.set(0),
        cause -> rdma.vertx().setTimer(5000L << Math.min(4, failures.getAndIncrement()), pause -> boards.remove(from)));
    rdma.vertx().fileSystem().writeFile(HEALTH_FILE, Buffer.buffer(from)).onFailure(cause -> say(cause.getMessage()));
  }

  private void say(String words) {
    Main.say(arguments.node, words);
  }
}
