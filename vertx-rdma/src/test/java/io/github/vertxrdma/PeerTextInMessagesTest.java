package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.node.Outage;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerTextInMessagesTest extends FabricPair {
  private static final String HOSTILE = "no \u001b]0;title\u0007\u001b[2J\nWARN forged \u009b31m \u202e end";

  private static final byte[] NONE = {};

  private static void assertPrintable(String what, String text) {
    assertTrue(PeerText.isPrintable(text), () -> what + ": " + text.replace("\u001b", "ESC"));
  }

  private static void assertFailsPrintably(String what, Future<?> future) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    assertTrue(cause.getMessage().contains("forged"), cause.getMessage());
    assertPrintable(what, cause.getMessage());
  }

  @Test
  void reasonsOfPeersArePrintable() throws Exception {
    await(server.createServer().handshakeHandler(handshake -> handshake.reject(HOSTILE)).connectHandler(connection -> {
    }).listen("rejects"));
    assertFailsPrintably("a rejection", client.connect("rejects"));
    await(server.createServer()
      .connectHandler(connection -> connection.requestHandler(body -> Future.failedFuture(HOSTILE))).listen("fails"));
    assertFailsPrintably("a failed request", await(client.connect("fails")).request(Buffer.buffer()));
    for (Rdma rdma : List.of(client, server)) {
      await(rdma.statistics()).errors().forEach(error -> assertPrintable("an error", error));
    }
  }

  @Test
  void textsInFramesOfPeersArePrintable() {
    Outage outage = Outage.decode(new Outage(HOSTILE, HOSTILE).encode());
    assertPrintable("the name of a device", outage.device());
    assertPrintable("the state of a device", outage.reason());
    Greeting greeting = Greeting.decode(new Greeting(NONE, "id", 1, HOSTILE, 0, HOSTILE, 16 << 10, 16, 16, 64 << 20, NONE, NONE, HOSTILE)
      .encode());
    assertPrintable("the host of a node", greeting.controlHost());
    assertPrintable("the name of a fabric", greeting.device());
    assertPrintable("a greeting", greeting.toString());
    List<String> logged = new ArrayList<>();
    new Refusals(logged::add, System::nanoTime).log(HOSTILE);
    assertPrintable("a refusal", logged.getFirst());
  }

  @Test
  void textsOfEntriesArePrintable() {
    NodeEntry node = NodeEntry.local("a", 1);
    assertThrows(IllegalArgumentException.class, () -> node.withControl(HOSTILE, 1));
    assertThrows(IllegalArgumentException.class, () -> node.withName(HOSTILE));
    assertThrows(IllegalArgumentException.class, () -> node.withSecretId(HOSTILE));
    assertThrows(IllegalArgumentException.class, () -> new ProcessIdentity(0, 0, 0, 0, 0, "h".repeat(300)));
    EndpointAddress address = EndpointAddress.of("queue");
    assertThrows(IllegalArgumentException.class, () -> new FabricAddress("tcp", HOSTILE, 0, address, Device.Reach.HOST, ""));
    assertThrows(IllegalArgumentException.class,
      () -> new FabricAddress("tcp", "tcp", 0, EndpointAddress.of(HOSTILE), Device.Reach.HOST, ""));
    assertPrintable("an exception", assertThrows(IllegalArgumentException.class, () -> NodeEntry.local(HOSTILE, 1)).getMessage());
  }
}
