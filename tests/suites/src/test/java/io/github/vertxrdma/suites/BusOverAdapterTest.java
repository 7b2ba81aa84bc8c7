package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Uses a provider of libfabric that behaves like that of EFA. */
@Timeout(180)
@Tag("full")
class BusOverAdapterTest {
  private static final String CONFIG = "vertx.rdma.config";

  @TempDir
  Path folder;

  @Test
  void messagesOfAllSizesGoBothWays() throws Exception {
    String missing = FiStandIn.built().missing();
    assumeTrue(missing == null, missing);
    FiStandIn.built().provide();
    int port = TestCluster.freePorts();
    String config = Files.writeString(folder.resolve("vertx-rdma.json"), new JsonObject().put("fabric", FiStandIn.EFA).encode()).toString();
    TransportCounters counters = TransportCounters.PROCESS;
    long channels = counters.channels();
    System.setProperty(CONFIG, config);
    Vertx vertx = TestCluster.member(port, new VertxOptions());
    try (ChildJvm peer = ChildJvm.startBy(FiStandIn.built().launcher(), Peer.class, Integer.toString(port), config)) {
      await(vertx.eventBus().<Buffer>consumer("here", message -> message.reply(message.body())).completion());
      peer.await("ready");
      for (int size : new int[] {0, 100, 20_000, 1 << 20}) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        assertEquals(Buffer.buffer(bytes), await(vertx.eventBus().<Buffer>request("peer", Buffer.buffer(bytes))).body());
      }
      assertEquals(2, counters.channels() - channels, counters::toString);
    } finally {
      await(vertx.close());
      FiStandIn.withdraw();
      System.clearProperty(CONFIG);
    }
  }

  static final class Peer {
    private Peer() {
    }

    public static void main(String[] arguments) throws Exception {
      System.setProperty(CONFIG, arguments[1]);
      Vertx vertx = TestCluster.member(Integer.parseInt(arguments[0]), new VertxOptions());
      await(vertx.eventBus().<Buffer>consumer("peer", message -> vertx.eventBus().<Buffer>request("here", message.body())
        .onSuccess(answer -> message.reply(answer.body())).onFailure(cause -> message.fail(1, cause.toString()))).completion());
      System.out.println("ready");
      System.in.read();
    }
  }
}
