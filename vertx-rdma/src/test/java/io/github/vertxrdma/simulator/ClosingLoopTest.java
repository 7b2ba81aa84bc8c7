package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.link.PlainHandshake;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that nothing is created on a loop that is being closed, even if there is room for it, and that operations under way end with the
 * loop.
 */
@Timeout(60)
class ClosingLoopTest {
  private static final byte[] NONE = {};

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("closing", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectInTheSameTurnFails(boolean connectionless) {
    Domain domain = connectionless ? RdmLayer.over(fabric.rdmDevice().openRdm(), time.clock(5), new Random(5)) : fabric.device().open();
    SimulatedLoop host = new SimulatedLoop(time, 1);
    DeviceLoop loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    DeviceLoop other = now(DeviceLoop.open(new SimulatedLoop(time, 2), domain, LoopOptions.DEFAULT));
    LinkListener listener = LinkListener.listen(other, null, 0, at -> identity(), incoming -> incoming.accept(NONE).handler(new Nobody()))
      .result();
    now(connect(loop, listener));
    Future<Link> before = connect(loop, listener);
    Future<Void> closed = loop.close(new IllegalStateException("the node was closed"));
    Future<Link> after = connect(loop, listener);
    now(closed);
    assertTrue(before.failed() && after.failed());
    assertEquals(Reason.CLOSED, ((RdmaException) after.cause()).reason());
    listener.close();
    now(other.close(new IllegalStateException("the test is over")));
    domain.close();
    assertEquals(Map.of(), fabric.open());
    assertEquals(0, time.pending(), "timers that are left");
  }

  /** A node closes its device when its loops are closed. That must not happen in the middle of a registration. */
  @Test
  void aRegistrationUnderWayEndsBefore() {
    Domain domain = fabric.device().open();
    SlowHost host = new SlowHost();
    DeviceLoop loop = now(DeviceLoop.open(host, domain, LoopOptions.DEFAULT));
    host.slow = Promise.promise();
    loop.memory.openIncoming();
    Promise<Void> registering = host.slow;
    host.slow = null;
    Future<Void> closed = loop.close(new IllegalStateException("the node was closed"));
    time.pass(TimeUnit.SECONDS.toNanos(10));
    assertFalse(closed.isComplete(), "closed with a registration under way");
    registering.complete();
    now(closed);
    domain.close();
    assertEquals(Map.of(), fabric.open());
  }

  private final class SlowHost extends SimulatedLoop {
    Promise<Void> slow;

    SlowHost() {
      super(time, 1);
    }

    @Override
    public <T> Future<T> blocking(Callable<T> work) {
      return slow == null ? super.blocking(work) : slow.future().compose(v -> super.blocking(work));
    }
  }

  private static Future<Link> connect(DeviceLoop loop, LinkListener listener) {
    return LinkConnector.connect(loop, listener.localAddress(), identity(), "any", NONE, 1_000, link -> {
      link.handler(new Nobody());
      return link;
    });
  }

  private static LinkIdentity identity() {
    return new LinkIdentity(() -> NodeEntry.local("node", 1), new PlainHandshake(Node.WORD), LinkWatcher.NONE);
  }

  private static final class Nobody implements MessageHandler {
    @Override
    public void message(ByteBuf message) {
      message.release();
    }

    @Override
    public void closed(Throwable cause) {
    }
  }

  private <T> T now(Future<T> future) {
    time.pass(TimeUnit.SECONDS.toNanos(10));
    assertTrue(future.succeeded(), () -> "not done: " + future.cause());
    return future.result();
  }
}
