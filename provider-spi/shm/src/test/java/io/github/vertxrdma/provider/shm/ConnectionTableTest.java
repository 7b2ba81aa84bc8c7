package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionTableTest {
  private static final int MOST = 1 << 16;

  @Test
  void aQueueWithAllItsConnectionsRejectsAnother() {
    try (Pair pair = Pair.open(ShmDeviceTest.device(), new PairOptions())) {
      Listener listener = pair.b.listenAndAccept();
      ConnectionTable table = ((ShmQueue) pair.b.queue()).connections;
      ShmEndpoint other = (ShmEndpoint) pair.b.domain().createEndpoint(pair.b.queue(), new EndpointOptions(), pair.b);
      for (int i = 0; i < MOST; i++) {
        table.add(other);
      }
      pair.a.connect(listener.localAddress());
      pair.until("both hear of it", () -> !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty());
      assertEquals(Reason.REJECTED, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(Reason.LIMIT, pair.b.cause.reason(), pair.b.cause.getMessage());
    }
  }
}
