package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Findings of the self-test about fds, on stacks of which they are known. */
class WaitingFdTest {
  @ParameterizedTest
  @CsvSource({"tcp, FD", "rxm, FD", "net, NONE", "fi-shm, NONE"})
  @Timeout(60)
  void anFdThatIsNeverQuietCountsAsNone(String fabric, Waiting expected) {
    FabricDevice device = (FabricDevice) Devices.require(new LibfabricProvider(), fabric);
    Assumptions.assumeTrue(!fabric.equals("net") || device.library().version() < Fi.version(1, 18), "its fd was mended later");
    long start = System.nanoTime();
    try (Domain domain = device.open()) {
      assertEquals(expected, domain.capabilities().waiting());
      System.out.println(fabric + ": opened and tested in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
    }
  }
}
