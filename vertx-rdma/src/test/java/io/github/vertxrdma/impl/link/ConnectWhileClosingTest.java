package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ConnectWhileClosingTest {
  private static final LinkIdentity IDENTITY = new LinkIdentity(() -> NodeEntry.local("client", 1),
    new PlainHandshake(new byte[] {1, 2, 3}),
    LinkWatcher.NONE);

  private final InMemoryFabric fabric = InMemoryFabric.create("closing", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final VirtualTime time = new VirtualTime();

  @ParameterizedTest
  @EnumSource(EndpointType.class)
  void nothingIsLeft(EndpointType type) {
    Device device = type == EndpointType.MSG ? fabric.device() : fabric.rdmDevice();
    Domain domain = device.open();
    Future<DeviceLoop> opening = DeviceLoop.open(new SimulatedLoop(time, 1), domain, LoopOptions.DEFAULT);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    DeviceLoop loop = opening.result();
    // The first links of the loop have reserved memory, further ones have to wait for it.
    connect(loop);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    Future<Link> before = connect(loop);
    Future<Void> closed = loop.close(new RdmaException(Reason.CLOSED, "closed"));
    Future<Link> after = connect(loop);
    time.pass(TimeUnit.SECONDS.toNanos(5));
    assertTrue(closed.succeeded(), () -> String.valueOf(closed.cause()));
    assertEquals(Reason.CLOSED, reason(before));
    assertEquals(Reason.CLOSED, reason(after));
    domain.close();
    assertEquals(Map.of(), fabric.open());
  }

  private static Future<Link> connect(DeviceLoop loop) {
    return LinkConnector.connect(loop, EndpointAddress.of("nobody"), IDENTITY, "service", new byte[0], 20_000, link -> link);
  }

  private static Reason reason(Future<Link> failed) {
    return assertInstanceOf(RdmaException.class, failed.cause()).reason();
  }
}
