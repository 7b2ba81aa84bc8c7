package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link without pings: only the end of the read lets the close continue. */
@Timeout(60)
class CloseDuringReadTest {
  private static final int HOUR = 3_600_000;

  @Test
  void goesOnWhenTheReadHasEnded() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("closing", InMemoryFabric.CAPABILITIES.toBuilder().maps(false).build(),
      InMemoryFabric.LIMITS);
    LoopOptions o = LoopOptions.DEFAULT;
    LoopOptions patient = new LoopOptions(o.bufferSize(), o.dataCredits(), o.controlCredits(), o.fragmentSize(), o.maxMessageSize(),
      o.closeIdleMillis(), HOUR, 2 * HOUR, o.notifyInlineLimit(), o.zeroCopyBytes());
    VertxInternal vertx = (VertxInternal) Vertx.vertx();
    TestNode owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, patient, fabric.device());
    TestNode user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, patient, fabric.device());
    TestNode.End near = user.connect(owner, 0)[0];
    RemoteRegion remote = near.open(owner.share("table", 4096, READ));
    await(remote.read(0, 64));
    Promise<Buffer> read = Promise.promise();
    Promise<Void> closed = Promise.promise();
    near.link.loop().host.execute(() -> {
      remote.read(0, 64).onComplete(read);
      near.link.close(closed);
    });
    assertEquals(64, await(read.future()).length());
    await(closed.future());
    user.close();
    owner.close();
    await(vertx.close());
  }
}
