package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;

@Timeout(60)
class InMemoryDiscoveryTest {
  private static final String NAME = "memory-of-discovery";

  private final InMemoryFabric fabric = InMemoryFabric.named(NAME);
  private final DiscoveryOptions options = new DiscoveryOptions(null, Map.of("memory", "true", "memory.name", NAME, "fabric", NAME));

  @AfterEach
  void forget() {
    InMemoryFabric.forget(NAME);
  }

  @Test
  void fabricIsFoundByItsName() {
    List<Device> found = Provider.all().stream().flatMap(p -> p.discover(options).devices().stream()).filter(d -> d.name().equals(NAME))
      .toList();
    assertEquals(List.of(fabric.device()), found);
  }

  @Test
  void openObjectsAreCounted() {
    Domain domain = fabric.device().open();
    domain.createCompletionQueue(16);
    assertEquals(Map.of("domains", 1L, "completion queues", 1L), fabric.open());
    domain.close();
    assertEquals(Map.of(), fabric.open());
  }

  @Test
  void discoveryFindsWhatIsPutInFront() {
    fabric.inFront(d -> StrictDevice.over(d, d.name()));
    Device first = new InMemoryProvider().discover(options).devices().getFirst();
    assertEquals(NAME, first.name());
    assertEquals(Waiting.NONE, first.capabilities().waiting());
    assertSame(first, new InMemoryProvider().discover(options).devices().getFirst());
  }

  @Test
  void fabricIsHiddenUnlessRequested() {
    Discovery hidden = new InMemoryProvider().discover(new DiscoveryOptions(null, Map.of("memory", "false", "fabric", "tcp")));
    assertEquals(List.of(), hidden.devices());
    assertTrue(hidden.unavailable().getFirst().toString().contains("vertx.rdma.memory=true"));
    assertThrows(TestAbortedException.class, () -> Devices.require("no-such-fabric"));
  }
}
