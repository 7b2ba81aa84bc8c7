package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An owner of regions and a user of them, connected over a device that can hold operations back. */
abstract class RegionPair {
  final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  final InMemoryFabric fabric = InMemoryFabric.create("faults", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  final HoldingDevice device = new HoldingDevice(fabric.device());
  TestNode owner;
  TestNode user;
  TestNode.End near;
  TestNode.End far;

  @BeforeEach
  void start() throws Exception {
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, device);
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, device);
    TestNode.End[] ends = user.connect(owner, 0);
    near = ends[0];
    far = ends[1];
  }

  @AfterEach
  void stop() throws Exception {
    user.close();
    owner.close();
    await(vertx.close());
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  void assertLinkLives() throws Exception {
    OwnedRegion other = owner.share("still here", 64, READ);
    assertEquals(64, await(near.open(other).read(0, 64)).length());
    await(other.close());
  }
}
