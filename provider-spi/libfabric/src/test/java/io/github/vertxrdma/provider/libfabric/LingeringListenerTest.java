package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException.Reason;
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
    FabricDevice tcp = (FabricDevice) Devices.require(new LibfabricProvider(), "tcp");
    assumeTrue(tcp.library().version() >= Fi.version(1, 16), "before 1.16 a connector does not hear a reject");
    try (Pair pair = Pair.open(tcp, new PairOptions())) {
      Leaks before = Leaks.snapshot();
      Listener listener = pair.b.listen(null, pair.b.requests::add);
      pair.a.connect(listener.localAddress());
      for (int i = 0; i < POLLS; i++) {
        pair.b.poll();
      }
      assumeTrue(pair.b.requests.isEmpty(), "this libfabric sends a request whole before it is polled, as 2.6 does: none is half there");
      listener.close();
      pair.until("the refusal", () -> !pair.a.disconnected.isEmpty());
      assertEquals(Reason.REFUSED, pair.a.cause.reason(), pair.a.cause.getMessage());
      assertEquals(0, pair.b.requests.size());
      pair.left().close();
      pair.until("nothing left over", () -> before.grown().isEmpty());
    }
  }
}
