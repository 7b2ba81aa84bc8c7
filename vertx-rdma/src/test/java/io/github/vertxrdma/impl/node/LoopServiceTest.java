package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services that a loop does not have. */
@Timeout(20)
class LoopServiceTest {
  private static final byte[] NONE = {};

  /** A peer that requests a service. */
  private record Asked(Greeting greeting, DeviceLoop loop, List<String> refusals) implements IncomingLink {
    @Override
    public String name() {
      return "a link";
    }

    @Override
    public Link accept(byte[] data) {
      throw new AssertionError("accepted");
    }

    @Override
    public void refuse(Reason reason, String words) {
      assertEquals(Reason.NOT_FOUND, reason);
      refusals.add(words);
    }
  }

  /** The name is sent back to the peer, and logged by this node. */
  @Test
  void refusalOfUnknownServiceIsPrintableAndShort() {
    VirtualTime time = new VirtualTime();
    try (Domain domain = InMemoryFabric.create("services", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device().open()) {
      Future<DeviceLoop> opened = DeviceLoop.open(new SimulatedLoop(time, 1), domain, LoopOptions.DEFAULT);
      time.pass(TimeUnit.SECONDS.toNanos(1));
      DeviceLoop loop = opened.result();
      LoopService service = new LoopService(loop, null, null, null, null, 1_000);
      List<String> refusals = new ArrayList<>();
      String hostile = "forged \u001b[2J\n\u202e" + "x".repeat(30_000);
      service.dispatch(new Asked(new Greeting(NONE, "id", 1, "", 0, hostile, 16 << 10, 16, 16, 64 << 20, NONE, NONE, ""), loop, refusals));
      assertEquals(1, refusals.size());
      assertTrue(refusals.getFirst().contains("forged") && PeerText.isPrintable(refusals.getFirst()), refusals::toString);
      assertTrue(refusals.getFirst().length() < 2 * PeerText.MOST, refusals::toString);
      loop.close(new IllegalStateException("the test is over"));
    }
  }
}
