package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.MixedClusterTest.Node.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class BusPublicAddressTest {
  private static final String CONFIG = "vertx.rdma.config";

  @TempDir
  Path folder;
  private final List<Vertx> open = new ArrayList<>();
  private final int port = MixedClusterTest.freePorts();
  private final TransportCounters counters = TransportCounters.PROCESS;
  private final long channels = counters.channels();

  BusPublicAddressTest() throws IOException {
  }

  @AfterEach
  void close() throws Exception {
    System.clearProperty(CONFIG);
    for (Vertx each : open.reversed()) {
      await(each.close());
    }
  }

  private void force(String fabric) throws Exception {
    JsonObject options = new JsonObject().put("settings", new JsonObject().put("runtime", folder.resolve("run").toString()));
    if (fabric != null) {
      options.put("fabric", fabric);
    }
    System.setProperty(CONFIG, Files.writeString(folder.resolve("config.json"), options.encode()).toString());
  }

  private Vertx clustered(EventBusOptions bus) throws Exception {
    Vertx vertx = await(Vertx.builder().with(new VertxOptions().setEventBusOptions(bus))
      .withClusterManager(new HazelcastClusterManager(MixedClusterTest.config("public", port))).buildClustered());
    open.add(vertx);
    return vertx;
  }

  private void request(EventBusOptions bus) throws Exception {
    Vertx server = clustered(bus);
    await(server.eventBus().consumer("public", message -> message.reply(message.body())).completion());
    Vertx client = clustered(new EventBusOptions().setHost("127.0.0.1"));
    assertEquals("hello", await(client.eventBus().request("public", "hello")).body());
  }

  /** Linux delivers to a wildcard listener even for an address of no interface. */
  @Test
  @Tag("full")
  void busIsReachedOverAForcedFabricWhenThePathToItsPublicHostIsProven() throws Exception {
    force("shm");
    request(new EventBusOptions().setHost("0.0.0.0").setClusterPublicHost("127.0.0.2"));
    assertTrue(counters.channels() >= channels + 2, counters::toString);
  }

  @Test
  void busIsReachedByTcpWithTheReasonWhenAProxyAcceptsItsConnections() throws Exception {
    force(null);
    int bound = MixedClusterTest.freePorts();
    try (ServerSocket proxy = new ServerSocket(0, 16, InetAddress.ofLiteral("127.0.0.1"))) {
      Thread.ofPlatform().daemon().start(() -> forward(proxy, bound));
      request(new EventBusOptions().setHost("127.0.0.1").setPort(bound).setClusterPublicPort(proxy.getLocalPort()));
      assertTrue(counters.toString().contains("not-proven "), counters::toString);
    }
  }

  private static void forward(ServerSocket proxy, int port) {
    try {
      while (true) {
        Socket from = proxy.accept();
        Socket to = new Socket("127.0.0.1", port);
        copy(from, to);
        copy(to, from);
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static void copy(Socket from, Socket to) {
    Thread.ofPlatform().daemon().start(() -> {
      try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
        in.transferTo(out);
      } catch (IOException e) {
        // A socket was closed.
      }
    });
  }
}
