package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connector that sends at once: its message is in the completion queue as soon as the acceptor's event is in the event queue. */
class EarlyMessageTest {
  private static final int CONNECTIONS = 50;

  @Test
  @Timeout(120)
  void acceptorIsNotifiedOfItsConnectionBeforeAMessage() {
    try (Pair pair = Pair.open(Devices.require(new LibfabricProvider(), "tcp"), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      for (int i = 0; i < CONNECTIONS; i++) {
        Endpoint connector = pair.a.connect(listener.localAddress());
        Await.until("the connector hears", () -> pair.a.connected.contains(connector), () -> {
          pair.b.poll();
          return pair.a.poll();
        }, pair.a::toString);
        pair.a.send(connector, new byte[1], PostFlags.SIGNALED);
        Side.Message message = pair.message(pair.b);
        assertTrue(pair.b.connected.contains(message.endpoint()), "message " + i + " came before its connection");
      }
    }
  }
}
