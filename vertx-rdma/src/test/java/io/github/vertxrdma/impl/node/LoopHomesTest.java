package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LoopHomesTest {
  private final InMemoryFabric fabric = InMemoryFabric.create("homes", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<EventLoop> loops = Stream.<EventLoop>generate(DefaultEventLoop::new).limit(12).toList();

  @Test
  void connectedEndpointsLiveOnTheLoopOfTheirUser() {
    LoopHomes homes = new LoopHomes(1);
    loops.forEach(loop -> assertSame(loop, homes.of(loop, fabric.device())));
  }

  @Test
  void connectionlessOnesOnTheFirstAndOthersUseThemInTurn() {
    LoopHomes homes = new LoopHomes(4);
    Device device = fabric.rdmDevice();
    Map<EventLoop, Integer> users = new HashMap<>();
    for (EventLoop loop : loops) {
      EventLoop home = homes.of(loop, device);
      users.merge(home, 1, Integer::sum);
      assertSame(home, homes.of(loop, device));
    }
    assertEquals(Map.of(loops.get(0), 3, loops.get(1), 3, loops.get(2), 3, loops.get(3), 3), users);
    for (EventLoop loop : loops.subList(0, 4)) {
      assertSame(loop, homes.of(loop, device), "who has an endpoint uses it");
    }
  }

  @Test
  void oneLoopServesAllWhenEndpointsCannotShareADomain() {
    LoopHomes homes = new LoopHomes(4);
    Device device = InMemoryFabric.create("single", InMemoryFabric.CAPABILITIES.toBuilder().singleEndpoint(true).build(),
      InMemoryFabric.LIMITS).rdmDevice();
    loops.forEach(loop -> assertSame(loops.get(0), homes.of(loop, device)));
  }

  @Test
  void eachDeviceHasItsOwn() {
    LoopHomes homes = new LoopHomes(1);
    Device other = InMemoryFabric.create("other", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).rdmDevice();
    assertSame(loops.get(0), homes.of(loops.get(0), fabric.rdmDevice()));
    assertSame(loops.get(1), homes.of(loops.get(1), other));
    assertSame(loops.get(0), homes.of(loops.get(1), fabric.rdmDevice()));
  }
}
