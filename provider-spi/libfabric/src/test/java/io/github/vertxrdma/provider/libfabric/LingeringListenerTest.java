package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listener of tcp that closes while a request is half there: its connection is taken, its bytes have not come. */
@Timeout(120)
class LingeringListenerTest {
  private static final int POLLS = 1000;

  @Test
  void theRequestIsRefusedAndNothingIsLeft() {
    try (Pair pair = Pair.open(Devices.require(new LibfabricProvider(), "tcp"), new PairOptions())) {
      Leaks before = Leaks.snapshot();
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      pair.a.connect(listener.localAddress());
      for (int i = 0; i < POLLS; i++) {
        pair.b.poll();
      }
      listener.close();
      pair.until("the refusal", () -> !pair.a.disconnected.isEmpty());
      assertEquals(ProviderException.Reason.REFUSED, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(0, pair.b.requests.size());
      pair.left().close();
      pair.until("nothing left over", () -> before.grown().isEmpty());
    }
  }
}
