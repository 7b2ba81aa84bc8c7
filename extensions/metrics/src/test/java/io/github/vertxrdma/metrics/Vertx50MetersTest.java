package io.github.vertxrdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.micrometer.MicrometerMetricsFactory;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of a node beside vertx-micrometer-metrics 5.0. */
@Timeout(120)
class Vertx50MetersTest {
  private static final Path OTHER = Path.of("target/vertx-5.0/vertx-micrometer-metrics-5.0.12.jar");

  static final class Measured {
    public static void main(String[] args) throws Exception {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      Vertx vertx = Vertx.builder().withMetrics(new MicrometerMetricsFactory(registry)).build();
      System.out.println("of " + MicrometerMetricsFactory.class.getProtectionDomain().getCodeSource().getLocation());
      Rdma rdma = Rdma.create(vertx, MetersTest.nio());
      RdmaMeters.bind(rdma, registry, Duration.ofMillis(20), Tags.empty());
      rdma.createServer().connectHandler(peer -> peer.handler(peer::write)).listen("echo").await(20, TimeUnit.SECONDS);
      RdmaConnection connection = rdma.connect("echo").await(20, TimeUnit.SECONDS);
      connection.write(Buffer.buffer("hello"));
      vertx.eventBus().consumer("there", message -> message.reply("yes"));
      vertx.eventBus().request("there", "anybody?").await(20, TimeUnit.SECONDS);
      NetServer sockets = vertx.createNetServer().connectHandler(peer -> peer.write("hello")).listen(0, "127.0.0.1").await(20,
        TimeUnit.SECONDS);
      NetClient sender = vertx.createNetClient();
      sender.connect(sockets.actualPort(), "127.0.0.1").await(20, TimeUnit.SECONDS);
      HttpServer server = vertx.createHttpServer().requestHandler(request -> request.response().end()).listen(0, "127.0.0.1").await(20,
        TimeUnit.SECONDS);
      HttpClient client = vertx.createHttpClient();
      client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/").compose(HttpClientRequest::send).await(20, TimeUnit.SECONDS);
      Await.until("both messages are counted", () -> sum(registry, "vertx.rdma.messages.sent") >= 2);
      System.out.println("sums " + Stream.of("rdma.messages.sent", "eventbus.sent").map(name -> sum(registry, "vertx." + name)).toList());
      System.out.println("kinds " + registry.getMeters().stream().map(meter -> meter.getId().getName().split("\\.")[1])
        .collect(Collectors.toCollection(TreeSet::new)));
      Runtime.getRuntime().halt(0);
    }

    private static double sum(SimpleMeterRegistry registry, String name) {
      return registry.find(name).meters().stream().map(Meter::measure).mapToDouble(each -> each.iterator().next().getValue()).sum();
    }
  }

  /** Vert.x 5.1 asks for meters of HTTP and of sockets by methods that version 5.0 does not have. */
  @Test
  void nodeEventBusAndPoolsAreCountedAndHttpAndSocketsAreNot() throws Exception {
    String classPath = Stream.concat(Stream.of(OTHER.toString()), Arrays.stream(System.getProperty("java.class.path").split(
      File.pathSeparator)).filter(entry -> !entry.contains("vertx-micrometer-metrics"))).collect(Collectors.joining(File.pathSeparator));
    try (ChildJvm child = ChildJvm.startOn(classPath, Measured.class)) {
      assertTrue(child.await("of ").endsWith(OTHER.getFileName().toString()));
      assertEquals("[2.0, 1.0]", child.await("sums "));
      assertEquals("[eventbus, pool, rdma]", child.await("kinds "));
    }
  }
}
