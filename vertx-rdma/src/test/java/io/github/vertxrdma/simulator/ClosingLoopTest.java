package io.github.vertxrdma.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWorld;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.rdm.RdmLayer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
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
  private static final LinkIdentity IDENTITY = LinkWorld.identity("node");

  private final LinkWorld world = new LinkWorld();

  @AfterEach
  void nothingIsLeft() {
    world.close();
    assertEquals(0, world.time.pending(), "timers that are left");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectInTheSameTurnFails(boolean connectionless) {
    Domain domain = connectionless ? RdmLayer.over(world.fabric.rdmDevice().openRdm(), world.time.clock(5), new Random(5))
      : world.fabric.device().open();
    DeviceLoop loop = world.open(domain);
    LinkListener listener = world.listen(world.open(domain), IDENTITY,
      incoming -> incoming.accept(LinkWorld.NONE).handler(new LinkWorld.Discard()));
    world.now(connect(loop, listener));
    Future<Link> before = connect(loop, listener);
    Future<Void> closed = loop.close(new RdmaException(Reason.CLOSED, "the node was closed"));
    Future<Link> after = connect(loop, listener);
    world.now(closed);
    assertTrue(before.failed() && after.failed());
    assertEquals(Reason.CLOSED, ((RdmaException) before.cause()).reason());
    assertEquals(Reason.CLOSED, ((RdmaException) after.cause()).reason());
  }

  /** A node closes its device when its loops are closed. That must not happen in the middle of a registration. */
  @Test
  void aRegistrationUnderWayEndsBefore() {
    SlowHost host = new SlowHost();
    DeviceLoop loop = world.open(host, world.fabric.device().open());
    host.slow = Promise.promise();
    loop.memory.openIncoming();
    Promise<Void> registering = host.slow;
    host.slow = null;
    Future<Void> closed = loop.close(new IllegalStateException("the node was closed"));
    world.pass(10);
    assertFalse(closed.isComplete(), "closed with a registration under way");
    registering.complete();
    world.now(closed);
  }

  private final class SlowHost extends SimulatedLoop {
    Promise<Void> slow;

    SlowHost() {
      super(world.time, 1);
    }

    @Override
    public <T> Future<T> blocking(Callable<T> work) {
      return slow == null ? super.blocking(work) : slow.future().compose(v -> super.blocking(work));
    }
  }

  private static Future<Link> connect(DeviceLoop loop, LinkListener listener) {
    return LinkWorld.connect(loop, listener, IDENTITY, 1_000, link -> {
      link.handler(new LinkWorld.Discard());
      return link;
    });
  }
}
