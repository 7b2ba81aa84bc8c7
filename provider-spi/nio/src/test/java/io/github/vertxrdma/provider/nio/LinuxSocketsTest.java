package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import org.junit.jupiter.api.Test;

/** Promises of this provider beyond the contract, by the system calls of Linux. */
class LinuxSocketsTest implements ConnectionCases, RobustnessCases, StressCases {
  private static final int MESSAGE = 1 << 20;
  private static final int MESSAGES = 100;

  @Override
  public Device device() {
    return BackEnds.linux();
  }

  @Test
  void aPeerThatTakesNothingForTheTimeOfSilenceIsLost() {
    PairOptions options = new PairOptions().withTwoDomains().withSlots(2, MESSAGE);
    try (Pair pair = Pair.connected(device(), options.withEndpoint(options.endpoint().withSilenceMillis(500)))) {
      MemoryRegion region = pair.a.region(MESSAGE);
      // More than the sockets of both take.
      for (int i = 0; i < MESSAGES; i++) {
        assertEquals(Status.OK, pair.left().post(new WorkRequest().send(region, 0, MESSAGE).id(i)));
      }
      Await.until("the connection is lost", () -> {
        pair.a.poll();
        return pair.a.disconnected.size() == 1;
      });
      assertEquals(ProviderException.Reason.DISCONNECTED, pair.a.cause.reason());
      assertTrue(pair.a.cause.getMessage().contains("nothing was acknowledged there for 500 ms"), pair.a.cause.getMessage());
      assertEquals(0, pair.left().outstanding());
    }
  }
}
