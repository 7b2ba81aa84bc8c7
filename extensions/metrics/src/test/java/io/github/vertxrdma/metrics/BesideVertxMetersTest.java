package io.github.vertxrdma.metrics;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.micrometer.MicrometerMetricsFactory;
import java.time.Duration;
import java.util.List;
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

  @Test
  void metersOfNodeShareRegistryAndAreRemovedAlone() throws Exception {
    Rdma rdma = Rdma.create(vertx, MetersTest.nio());
    try (RdmaMeters meters = RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.of("node", "one"))) {
      await(rdma.createServer().connectHandler(peer -> peer.handler(peer::write)).listen("echo"));
      RdmaConnection connection = await(rdma.connect("echo"));
      connection.write(Buffer.buffer("hello"));
      until("both messages are counted", () -> sum("vertx.rdma.messages.sent") == 2);
      HttpServer server = await(vertx.createHttpServer().requestHandler(request -> request.response().end()).listen(0, "127.0.0.1"));
      HttpClient client = vertx.createHttpClient();
      await(client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/").compose(HttpClientRequest::send));
      until("the request is counted", () -> sum("vertx.http.server.requests") == 1 && sum("vertx.http.client.responses") == 1);
    }
    List<String> left = registry.getMeters().stream().map(meter -> meter.getId().getName()).toList();
    assertTrue(left.stream().noneMatch(name -> name.startsWith("vertx.rdma.")) && left.contains("vertx.pool.in.use"), left::toString);
  }

  @Test
  void healthIsProcedureOfHealthChecks() throws Exception {
    Rdma rdma = Rdma.create(vertx, MetersTest.nio());
    HealthChecks checks = Example.health(vertx, rdma);
    CheckResult up = await(checks.checkStatus());
    assertTrue(up.getUp(), () -> up.toJson().encode());
    await(rdma.close());
    CheckResult down = await(checks.checkStatus());
    JsonObject json = down.toJson();
    assertTrue(!down.getUp() && json.encode().contains("closed"), json::encode);
  }
}
