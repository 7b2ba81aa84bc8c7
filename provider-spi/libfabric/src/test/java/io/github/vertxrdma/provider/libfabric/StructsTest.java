package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.HeaderProbe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StructsTest {
  /** Loads the classes that declare numbers. */
  private static final int LOADED = Structs.ROOM + Fi.EP_MSG;

  @Test
  void numbersAreThoseOfTheInstalledHeaders() {
    assertTrue(LOADED > 0);
    assertTrue(Fi.HEADER.expected().size() > 170, "offsets and constants declared: " + Fi.HEADER.expected().size());
    HeaderProbe.check(Fi.HEADER.headers(), Fi.HEADER.expected());
  }
}
