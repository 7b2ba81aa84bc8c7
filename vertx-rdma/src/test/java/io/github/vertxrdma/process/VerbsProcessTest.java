package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes with the verbs device in user space, with each of its behaviours: work in the post, in a thread, iWARP. */
@Timeout(120)
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"nic", "mlx5", "iwarp"})
@Tag("full")
class VerbsProcessTest {
  private static final int SOME = 100;

  @Parameter
  private String personality;
  @TempDir
  Path folder;
  private Vertx vertx;
  private Fabrics here;
  private String fabric;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(Nic.built().missing() == null, Nic.built().missing());
    Nic.built().provide(personality);
    fabric = "verbs:" + personality;
    vertx = Vertx.vertx();
    here = new Fabrics(vertx, directory(), List.of(fabric));
    assertNull(here.missing(fabric));
  }

  @AfterEach
  void close() throws Exception {
    if (vertx != null) {
      await(vertx.close());
    }
    Nic.withdraw();
  }

  private String directory() {
    return folder.resolve("directory").toString();
  }

  private ChildJvm peer(String does) throws Exception {
    Nic nic = Nic.built();
    return ChildJvm.startBy(
      List.of("env", "VERTX_RDMA_VERBS=" + nic.verbs(), "VERTX_RDMA_RDMACM=" + nic.cm(), Nic.PERSONALITIES + "=" + personality),
      PeerProcess.class, directory(), does, fabric);
  }

  @Test
  void messagesAndMemoryReachTheOtherProcessUntilItIsKilled() throws Exception {
    try (ChildJvm peer = peer(PeerProcess.SERVE)) {
      peer.await("ready");
      Traffic traffic = await(here.nodes().get(fabric).connect("traffic over " + fabric).map(made -> new Traffic(vertx, made)));
      RemoteRegion word = await(here.nodes().get(fabric).openRegion("word over " + fabric));
      for (long i = 0; i < 20; i++) {
        assertEquals(i, await(word.fetchAndAdd(8, 1)));
      }
      assertEquals(20, await(word.read(0, 16)).getLongLE(8));
      until("there is traffic", () -> traffic.received() > SOME && traffic.sent() > SOME || traffic.failure() != null);
      assertNull(traffic.failure());
      peer.kill();
      until("the loss is noticed", traffic::isClosed);
      assertNotNull(traffic.failure());
      assertTrue(await(word.fetchAndAdd(8, 1).map(false), true), "an addition to the memory of the dead");
    }
  }

  @Test
  @Tag("full")
  void anOrderlyEndLosesNothing() throws Exception {
    List<Buffer> read = new CopyOnWriteArrayList<>();
    List<String> over = new CopyOnWriteArrayList<>();
    await(here.nodes().get(fabric).createServer()
      .connectHandler((RdmaConnection connection) -> connection.endHandler(v -> over.add("ended")).handler(read::add))
      .listen("reader over " + fabric));
    try (ChildJvm writer = peer(PeerProcess.END)) {
      assertEquals(0, writer.waitFor());
    }
    until("the end has come", () -> over.contains("ended"));
    assertEquals(PeerProcess.MESSAGES, read.size());
    for (int i = 0; i < read.size(); i++) {
      assertEquals(Traffic.message(i), read.get(i));
    }
  }
}
