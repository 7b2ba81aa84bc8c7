package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file descriptors of completion queues, as the self-test of a domain finds them. */
class WaitingFdTest {
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  @Timeout(60)
  void domainWaitsByFdWhenFabricIsOverTcp(String fabric) {
    Device device = Devices.require(new LibfabricProvider(), fabric);
    long start = System.nanoTime();
    try (Domain domain = device.open()) {
      assertEquals(Waiting.FD, domain.capabilities().waiting());
      System.out.println(fabric + ": opened and tested in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
    }
  }
}
