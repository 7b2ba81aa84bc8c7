package io.github.vertxrdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.micrometer.MicrometerMetricsFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of vertx-micrometer-metrics and of a node in one registry, and the health of a node in vertx-health-check. */
@Timeout(60)
class BesideVertxMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.builder().withMetrics(new MicrometerMetricsFactory(registry)).build();
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private double sum(String name) {
    return registry.find(name).meters().stream().map(Meter::measure).mapToDouble(each -> each.iterator().next().getValue()).sum();
  }

  private void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "waited in vain until " + what + "; there are " + registry.getMetersAsString());
      LockSupport.parkNanos(1_000_000);
    }
  }

  static RdmaOptions options() {
    return new RdmaOptions().setFabric("nio")
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(UUID.randomUUID().toString()));
  }

  @Test
  void httpRequestsOfServerAndClientAreCounted() throws Exception {
    HttpServer server = await(vertx.createHttpServer().requestHandler(request -> request.body()
      .onSuccess(body -> request.response().setStatusCode(201).end(Buffer.buffer("hello")))).listen(0, "127.0.0.1"));
    HttpClient client = vertx.createHttpClient();
    for (int i = 0; i < 3; i++) {
      await(client.request(HttpMethod.POST, server.actualPort(), "127.0.0.1", "/orders")
        .compose(request -> request.send(Buffer.buffer(new byte[100])).compose(HttpClientResponse::body)));
    }
    until("three requests have ended", () -> sum("vertx.http.server.requests") == 3 && sum("vertx.http.client.responses") == 3);
    Tags tags = Tags.of("method", "POST", "code", "201");
    assertEquals(3, registry.get("vertx.http.server.response.time").tags(tags).timer().count());
    assertEquals(300, registry.get("vertx.http.server.request.bytes").summary().totalAmount());
    assertEquals(15, registry.get("vertx.http.server.response.bytes").tags(tags).summary().totalAmount());
    assertEquals(0, sum("vertx.http.server.active.requests"));
    assertEquals(1, sum("vertx.http.server.active.connections"));
    assertEquals(3, registry.get("vertx.http.client.response.time").tags(tags).timer().count());
    await(client.close());
    until("the connection has ended", () -> sum("vertx.http.server.active.connections") == 0);
  }

  @Test
  void eventBusAndSocketsAreCounted() throws Exception {
    vertx.eventBus().consumer("there", message -> message.reply("yes"));
    await(vertx.eventBus().request("there", "anybody?"));
    // Replies are not counted.
    until("the message is delivered", () -> sum("vertx.eventbus.sent") == 1 && sum("vertx.eventbus.delivered") == 1);
    NetServer server = await(vertx.createNetServer().connectHandler(peer -> peer.handler(peer::write)).listen(0, "127.0.0.1"));
    NetClient client = vertx.createNetClient();
    NetSocket socket = await(client.connect(server.actualPort(), "127.0.0.1"));
    Future<Buffer> echo = Future.future(promise -> socket.handler(promise::tryComplete));
    socket.write("12345");
    await(echo);
    assertEquals(1, sum("vertx.net.server.active.connections"));
    // Vert.x reports bytes at the end of a connection.
    await(socket.close());
    until("five bytes are counted each way", () -> sum("vertx.net.server.bytes.read") == 5 && sum("vertx.net.client.bytes.read") == 5);
    await(client.close());
  }

  @Test
  void metersOfNodeShareRegistryAndAreRemovedAlone() throws Exception {
    Rdma rdma = Rdma.create(vertx, options());
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      await(rdma.createServer().connectHandler(peer -> peer.handler(peer::write)).listen("echo"));
      RdmaConnection connection = await(rdma.connect("echo"));
      connection.write(Buffer.buffer("hello"));
      until("both messages are counted", () -> sum("vertx.rdma.messages.sent") == 2);
    }
    List<String> left = registry.getMeters().stream().map(meter -> meter.getId().getName()).toList();
    assertTrue(left.stream().noneMatch(name -> name.startsWith("vertx.rdma.")) && left.contains("vertx.pool.in.use"), left::toString);
  }

  @Test
  void healthIsProcedureOfHealthChecks() throws Exception {
    Rdma rdma = Rdma.create(vertx, options());
    HealthChecks checks = Example.health(vertx, rdma);
    CheckResult up = await(checks.checkStatus());
    assertTrue(up.getUp(), () -> up.toJson().encode());
    await(rdma.close());
    CheckResult down = await(checks.checkStatus());
    JsonObject json = down.toJson();
    assertTrue(!down.getUp() && json.encode().contains("closed"), json::encode);
  }
}
