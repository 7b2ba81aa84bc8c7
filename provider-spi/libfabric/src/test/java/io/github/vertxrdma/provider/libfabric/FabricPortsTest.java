package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.contract.FixedPorts;
import java.io.IOException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fixed ports of listeners and connectionless endpoints. */
@Timeout(60)
class FabricPortsTest {
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm"})
  void listenersTakePortsOfTheRange(String name) throws IOException {
    FixedPorts.check(new LibfabricProvider(), name);
  }
}
