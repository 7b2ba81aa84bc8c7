package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.contract.FixedPorts;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NioPortsTest {
  @Test
  void listenersTakePortsOfTheRange() throws IOException {
    FixedPorts.check(new NioProvider(), "nio");
  }
}
