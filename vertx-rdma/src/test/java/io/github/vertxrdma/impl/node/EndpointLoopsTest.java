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

class EndpointLoopsTest {
  private final InMemoryFabric fabric = InMemoryFabric.create("homes", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<EventLoop> loops = Stream.<EventLoop>generate(DefaultEventLoop::new).limit(12).toList();

  @Test
  void connectedEndpointsUseTheLoopOfTheCaller() {
    NodeLoops.EndpointLoops endpointLoops = new NodeLoops.EndpointLoops(1);
    loops.forEach(loop -> assertSame(loop, endpointLoops.of(loop, fabric.device())));
  }

  @Test
  void laterLoopsShareConnectionlessEndpointsOfTheFirstInRotation() {
    NodeLoops.EndpointLoops endpointLoops = new NodeLoops.EndpointLoops(4);
    Device device = fabric.rdmDevice();
    Map<EventLoop, Integer> users = new HashMap<>();
    for (EventLoop loop : loops) {
      EventLoop assigned = endpointLoops.of(loop, device);
      users.merge(assigned, 1, Integer::sum);
      assertSame(assigned, endpointLoops.of(loop, device));
    }
    assertEquals(Map.of(loops.get(0), 3, loops.get(1), 3, loops.get(2), 3, loops.get(3), 3), users);
    for (EventLoop loop : loops.subList(0, 4)) {
      assertSame(loop, endpointLoops.of(loop, device), "a loop with an endpoint uses it");
    }
  }

  @Test
  void allCallersUseOneLoopWhenADomainHasASingleEndpoint() {
    NodeLoops.EndpointLoops endpointLoops = new NodeLoops.EndpointLoops(4);
    Device device = InMemoryFabric.create("single", InMemoryFabric.CAPABILITIES.toBuilder().singleEndpoint(true).build(),
      InMemoryFabric.LIMITS).rdmDevice();
    loops.forEach(loop -> assertSame(loops.get(0), endpointLoops.of(loop, device)));
  }

  @Test
  void eachDeviceHasLoopsOfItsOwn() {
    NodeLoops.EndpointLoops endpointLoops = new NodeLoops.EndpointLoops(1);
    Device other = InMemoryFabric.create("other", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).rdmDevice();
    assertSame(loops.get(0), endpointLoops.of(loops.get(0), fabric.rdmDevice()));
    assertSame(loops.get(1), endpointLoops.of(loops.get(1), other));
    assertSame(loops.get(0), endpointLoops.of(loops.get(1), fabric.rdmDevice()));
  }
}
