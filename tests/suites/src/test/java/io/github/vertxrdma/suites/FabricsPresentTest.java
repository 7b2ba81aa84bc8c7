package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.contract.Devices;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fails for missing fabrics, because reports omit a class that a JUnit 4 rule skips. */
@Timeout(60)
class FabricsPresentTest {

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void theSuitesHaveTheirFabric(String fabric) {
    assertEquals(fabric, Devices.require(fabric).name());
  }
}
