package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeerTextInMessagesTest extends FabricPair {
  private static final String HOSTILE = "no \u001b]0;title\u0007\u001b[2J\nWARN forged \u009b31m \u202e end";

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
}
