package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.HeaderProbe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StructsTest {
  /** Loads the classes that declare numbers. */
  private static final int LOADED = Structs.ROOM + Fi.EP_MSG + SocketAddresses.format(
    io.github.vertxrdma.provider.EndpointAddress.of(new java.net.InetSocketAddress("127.0.0.1", 1)));

  @Test
  void numbersAreThoseOfTheInstalledHeaders() {
    assertTrue(LOADED > 0);
    assertTrue(Fi.HEADER.expected().size() > 200, "offsets and constants declared: " + Fi.HEADER.expected().size());
    HeaderProbe.check(Fi.HEADER.headers(), Fi.HEADER.expected());
  }
}
