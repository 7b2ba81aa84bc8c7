package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NoStagingTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private InMemoryFabric fabric;
  private FaultyDevice device;
  private TestNode owner;
  private TestNode user;
  private TestNode.End asking;
  private TestNode.End other;
  private OwnedRegion region;
  private RemoteRegion remote;

  @BeforeEach
  void start(TestInfo test) throws Exception {
    boolean maps = test.getTags().contains("mapped");
    fabric = InMemoryFabric.create("refusing", InMemoryFabric.CAPABILITIES.toBuilder().maps(maps).build(), InMemoryFabric.LIMITS);
    device = FaultyDevice.over(fabric.device(), 1);
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, fabric.device());
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, device);
    asking = user.connect(owner, 0)[0];
    other = user.connect(owner, 0)[0];
    region = owner.share("table", 4096, READ, WRITE);
    remote = asking.open(region);
  }

  @AfterEach
  void stop() throws Exception {
    user.close();
    owner.close();
    await(vertx.close());
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  @Test
  void operationsThatWaitForMemoryFailAndNoLinkEnds() throws Exception {
    device.faults().refuseRegistrations(1);
    Future<List<Future<?>>> started = TestNode.on(user.loops.getFirst(), () -> Future.succeededFuture(List.of(remote.read(0, 64),
      remote.write(0, Buffer.buffer(new byte[2048])), remote.writeNotify(2048, Buffer.buffer(new byte[2048]), 7), remote.read(0, 64))));
    for (Future<?> operation : await(started)) {
      assertFails(Reason.LIMIT, operation, "memory cannot be registered", "errno 12");
    }
    assertEquals(64, await(other.open(region).read(0, 64)).length());
    assertEquals(64, await(remote.read(0, 64)).length());
    await(remote.write(0, Buffer.buffer("kept")));
    assertFalse(asking.closed.isDone() || other.closed.isDone());
  }

  @Test
  @Tag("mapped")
  void readOfMappedMemoryNeedsNoStaging() throws Exception {
    device.faults().refuseRegistrations(1);
    assertEquals(64, await(remote.read(0, 64)).length());
    Buffer into = Buffer.buffer(new byte[100]);
    await(remote.read(0, into, 36, 64));
    assertFails(Reason.LIMIT, remote.write(0, Buffer.buffer(new byte[2048])), "errno 12");
  }

  @Test
  void memoryOfARegionFailsWhoeverWantsIt() throws Exception {
    OwnedRegion local = user.share(new RegionOptions().setSize(64));
    device.faults().refuseRegistrations(1);
    RdmaException refused = assertFails(Reason.LIMIT, remote.read(0, local, 0, 64), "errno 12");
    assertFalse(refused.isEffectUnknown());
    await(remote.read(0, local, 0, 64));
    device.faults().refuseRegistrations(1);
    assertFails(Reason.LIMIT, asking.peer.grant(Caller.of(vertx.getOrCreateContext()), local, Set.of(READ), null), "errno 12");
    await(asking.peer.grant(Caller.of(vertx.getOrCreateContext()), local, Set.of(READ), null));
  }

  @Test
  void aLargeMessageThatCannotBeSentEndsItsLinkAlone() throws Exception {
    device.faults().refuseRegistrations(1);
    asking.link.loop().eventLoop().execute(() -> asking.link.send(Unpooled.wrappedBuffer(new byte[1 << 20]), null));
    RdmaException why = assertInstanceOf(RdmaException.class, asking.closed.get(20, TimeUnit.SECONDS));
    assertEquals(Reason.LIMIT, why.reason());
    assertTrue(why.getMessage().contains("a message could not be sent") && why.getMessage().contains("errno 12"), why.getMessage());
    assertEquals(64, await(other.open(region).read(0, 64)).length());
    assertFalse(other.closed.isDone());
  }
}
