package io.github.vertxrdma.provider.devices.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.memory.InMemoryProvider;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(FabricExtension.class)
class FabricExtensionTest {
  private static InMemoryFabric earlier;

  @Test
  void discoveryFindsTheTestsOwnFabric(InMemoryFabric fabric, Device device, DiscoveryOptions options) {
    assertSame(fabric.device(), device);
    for (DiscoveryOptions each : List.of(options, new DiscoveryOptions())) {
      List<Device> found = Provider.all().stream().flatMap(p -> p.discover(each).devices().stream())
        .filter(d -> d.name().equals(fabric.name())).toList();
      assertEquals(List.of(device), found);
    }
    assertOther(fabric);
  }

  @Test
  void anotherTestHasAnotherFabric(InMemoryFabric fabric) {
    assertOther(fabric);
  }

  private static void assertOther(InMemoryFabric fabric) {
    assertNotSame(earlier, fabric);
    earlier = fabric;
  }

  @Test
  void whatIsLeftOpenIsCounted(InMemoryFabric fabric) {
    Domain domain = fabric.device().open();
    domain.createCompletionQueue(16);
    assertEquals(Map.of("domains", 1L, "completion queues", 1L), fabric.open());
    domain.close();
    assertEquals(Map.of(), fabric.open());
  }

  @Test
  void discoveryFindsWhatIsPutInFront(InMemoryFabric fabric, DiscoveryOptions options) {
    fabric.inFront(d -> StrictDevice.over(d, d.name()));
    Device first = new InMemoryProvider().discover(options).devices().getFirst();
    assertEquals(fabric.name(), first.name());
    assertEquals(Waiting.NONE, first.capabilities().waiting());
    assertSame(first, new InMemoryProvider().discover(options).devices().getFirst());
  }

  @Test
  void theFabricIsHiddenUnlessAskedFor() {
    var hidden = new InMemoryProvider().discover(new DiscoveryOptions(null, Map.of("memory", "false", "fabric", "tcp")));
    assertEquals(List.of(), hidden.devices());
    assertTrue(hidden.unavailable().getFirst().toString().contains("vertx.rdma.memory=true"));
    assertThrows(org.opentest4j.TestAbortedException.class, () -> Devices.require("no-such-fabric"));
  }
}
