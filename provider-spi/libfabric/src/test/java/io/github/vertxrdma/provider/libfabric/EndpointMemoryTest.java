package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.contract.Devices;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bookkeeping of memory that belongs to an endpoint. No fabric with such memory runs here. */
@Timeout(60)
class EndpointMemoryTest {
  @Test
  void thereIsOneEndpointAndMemoryComesAfterIt() {
    FabricDevice device = (FabricDevice) Devices.require(new LibfabricProvider(), "rxm");
    EndpointMemory memory = new EndpointMemory(device.library, "cxi");
    assertEquals(ProviderException.Reason.INVALID, assertThrows(ProviderException.class, memory::require).reason());
    try (RdmFabricDomain domain = new RdmFabricDomain(device)) {
      Fid first = new FabricAddressVector(domain).fid;
      Fid second = new FabricAddressVector(domain).fid;
      memory.opened(first);
      assertSame(first, memory.require());
      assertEquals(ProviderException.Reason.LIMIT, assertThrows(ProviderException.class, () -> memory.opened(second)).reason());
      memory.closed(second);
      assertSame(first, memory.require());
      memory.closed(first);
      memory.opened(second);
      assertSame(second, memory.require());
      first.close();
      second.close();
    }
  }

  @Test
  void memoryThatNoPeerUsesNeedsNoRegistration() {
    assertFalse(EndpointMemory.registers(Set.of()));
    assertFalse(EndpointMemory.registers(Set.of(Access.LOCAL_WRITE, Access.READ_SINK)));
    assertTrue(EndpointMemory.registers(Set.of(Access.REMOTE_READ)));
    assertTrue(EndpointMemory.registers(Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC)));
  }
}
