package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.MixedClusterTest.Node.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uses a provider of libfabric that behaves like that of EFA, and a verbs device that behaves like one of InfiniBand. */
@Timeout(180)
class BusOverAdapterTest {
  private static final String INFINIBAND = "ib";
  private static final String IB = "verbs:" + INFINIBAND;
  private static final String CONFIG = "vertx.rdma.config";

  @TempDir
  Path folder;

  private static List<String> launcher(String fabric) {
    return fabric.equals(IB) ? Nic.built().launcher(INFINIBAND) : FiStandIn.built().launcher();
  }

  private static void provide(String fabric) {
    String missing = fabric.equals(IB) ? Nic.built().missing() : FiStandIn.built().missing();
    assumeTrue(missing == null, missing);
    if (fabric.equals(IB)) {
      Nic.built().provide(INFINIBAND);
    } else {
      FiStandIn.built().provide();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {FiStandIn.EFA, IB})
  @Tag("full")
  void messagesOfAllSizesGoBothWays(String fabric) throws Exception {
    provide(fabric);
    int port = MixedClusterTest.freePorts();
    String config = Files.writeString(folder.resolve("vertx-rdma.json"), new JsonObject().put("fabric", fabric).encode()).toString();
    TransportCounters counters = TransportCounters.PROCESS;
    long channels = counters.channels();
    long fallbacks = counters.fallbacks();
    System.setProperty(CONFIG, config);
    Vertx vertx = BusBesideTcpTest.clustered(port);
    try (ChildJvm peer = ChildJvm.startBy(launcher(fabric), Peer.class, Integer.toString(port), config)) {
      await(vertx.eventBus().<Buffer>consumer("here", message -> message.reply(message.body())).completion());
      peer.await("ready");
      for (int size : new int[] {0, 100, 20_000, 1 << 20}) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        assertEquals(Buffer.buffer(bytes), await(vertx.eventBus().<Buffer>request("peer", Buffer.buffer(bytes))).body());
      }
      assertEquals(2, counters.channels() - channels, counters::toString);
      assertEquals(fallbacks, counters.fallbacks(), counters::toString);
      String answer = await(vertx.eventBus().<String>request("counters", "")).body();
      assertTrue(answer.startsWith("fabric: 1 channels connected, 1 accepted"), answer);
    } finally {
      await(vertx.close());
      FiStandIn.withdraw();
      Nic.withdraw();
      System.clearProperty(CONFIG);
    }
  }

  static final class Peer {
    private Peer() {
    }

    public static void main(String[] arguments) throws Exception {
      System.setProperty(CONFIG, arguments[1]);
      Vertx vertx = BusBesideTcpTest.clustered(Integer.parseInt(arguments[0]));
      await(vertx.eventBus().<Buffer>consumer("peer", message -> vertx.eventBus().<Buffer>request("here", message.body())
        .onSuccess(answer -> message.reply(answer.body())).onFailure(cause -> message.fail(1, cause.toString()))).completion());
      await(vertx.eventBus().consumer("counters", message -> message.reply(TransportCounters.PROCESS.toString())).completion());
      System.out.println("ready");
      System.in.read();
    }
  }
}
