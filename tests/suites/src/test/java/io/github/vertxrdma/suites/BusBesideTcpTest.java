package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.MixedClusterTest.Node.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class BusBesideTcpTest {
  private static final String CONFIG = "vertx.rdma.config";

  @TempDir
  Path folder;

  /** Returns options of a node whose shared memory no other node sees. */
  private String config(String name, String fabric) throws Exception {
    JsonObject options = new JsonObject().put("settings", new JsonObject().put("runtime", folder.resolve(name).toString()));
    if (!fabric.isEmpty()) {
      options.put("fabric", fabric);
    }
    return Files.writeString(folder.resolve(name + ".json"), options.encode()).toString();
  }

  static Vertx clustered(int port) throws Exception {
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    return await(Vertx.builder().with(options)
      .withClusterManager(new HazelcastClusterManager(MixedClusterTest.config("beside-tcp", port))).buildClustered());
  }

  /** The peer sends a request to this node before it answers. */
  @ParameterizedTest(name = "peer ''{0}''")
  @CsvSource({"'', 0", "nio, 1"})
  void busTakesTcpUnlessTheConnectingNodeForcesAFabric(String fabricOfPeer, int connectedByPeer) throws Exception {
    int port = MixedClusterTest.freePorts();
    TransportCounters counters = TransportCounters.PROCESS;
    long channels = counters.channels();
    long fallbacks = counters.fallbacks();
    System.setProperty(CONFIG, config("here", ""));
    Vertx vertx = clustered(port);
    try (ChildJvm peer = ChildJvm.start(Peer.class, Integer.toString(port), config("peer", fabricOfPeer))) {
      await(vertx.eventBus().consumer("here", message -> message.reply("")).completion());
      peer.await("ready");
      String answer = await(vertx.eventBus().<String>request("peer", "")).body();
      assertTrue(answer.startsWith("fabric: " + connectedByPeer + " channels connected, 0 accepted"), answer);
      assertEquals(connectedByPeer, counters.channels() - channels, counters::toString);
      // On one host shared memory could connect the nodes.
      assertEquals(1, counters.fallbacks() - fallbacks, counters::toString);
    } finally {
      System.clearProperty(CONFIG);
      await(vertx.close());
    }
  }

  static final class Peer {
    public static void main(String[] arguments) throws Exception {
      System.setProperty(CONFIG, arguments[1]);
      Vertx vertx = clustered(Integer.parseInt(arguments[0]));
      await(vertx.eventBus().consumer("peer", message -> vertx.eventBus().request("here", "")
        .onComplete(answer -> message.reply(answer.succeeded() ? TransportCounters.PROCESS.toString() : answer.cause().toString())))
        .completion());
      System.out.println("ready");
      Thread.sleep(100_000);
    }
  }
}
