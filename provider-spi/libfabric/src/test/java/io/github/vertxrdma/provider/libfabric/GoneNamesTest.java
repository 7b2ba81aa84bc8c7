package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that opens shared-memory endpoints under ever new names remembers so many, and then says why it opens no more. */
class GoneNamesTest {
  private static EndpointAddress name(int number) {
    return EndpointAddress.of("chosen-" + number);
  }

  @Test
  void aNameTooManyIsRefusedAndOneThatWasThereIsNot() {
    GoneNames gone = new GoneNames();
    for (int i = 0; i < 1024; i++) {
      gone.check(name(i));
      gone.add(name(i));
    }
    ProviderException refused = assertThrows(ProviderException.class, () -> gone.check(name(1024)));
    assertEquals(Reason.LIMIT, refused.reason());
    assertTrue(refused.getMessage().startsWith(name(1024) + " cannot be opened: this process has closed 1024 endpoints of names of its own"),
      refused.getMessage());
    gone.check(name(0));
    gone.check(name(1023));
  }

  /** The same of a process with real endpoints. */
  @Test
  @Tag("long")
  @Timeout(600)
  void endpointsOfSoManyNamesComeAndGo() throws Exception {
    Devices.require(new LibfabricProvider(), "fi-shm");
    try (ChildJvm child = ChildJvm.start(GoneNamesChild.class, "fi-shm")) {
      for (int i = 0; i < GoneNamesChild.NAMES; i += GoneNamesChild.STEP) {
        assertEquals(String.valueOf(i), child.await("opened:"));
      }
      String next = child.await("next:");
      assertTrue(next.startsWith("LIMIT") && next.contains("has closed 1024 endpoints of names of its own"), next);
      assertEquals("opened", child.await("again:"));
    }
  }
}
