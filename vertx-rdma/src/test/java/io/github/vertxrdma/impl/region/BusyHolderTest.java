package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.hostile.RawPeer;
import io.github.vertxrdma.impl.link.Frame;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that stay in a call with memory of a peer for longer than the link waits: the memory is released when the calls return. */
@Timeout(120)
class BusyHolderTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final RegionWorld world = new RegionWorld();

  @AfterEach
  void othersGoOn() {
    world.assertHonest();
    world.close();
  }

  @Test
  void aRegionThatIsClosed() {
    OwnedRegion region = world.share("viewed", 64, RegionAccess.READ);
    int before = world.device.keys();
    RemoteRegion used = world.use(region);
    world.device.use(true);
    world.now(used.close());
    world.time.pass(MINUTE);
    assertEquals(before + 1, world.device.keys());
    world.device.use(false);
    world.settle();
    assertEquals(before, world.device.keys());
  }

  @Test
  void memoryOfLargeMessages() {
    RawPeer peer = world.peer("raw");
    RegionWorld.End end = world.ends.getLast();
    int before = world.device.keys();
    for (int slab = 0; slab < 3; slab++) {
      announce(peer, slab, 4096);
    }
    world.device.use(true);
    announce(peer, 1, 0);
    assertNull(peer.over(), () -> "it was cut off: " + end.cause);
    end.link.fail(new RdmaException(Reason.OTHER, "broken on purpose"));
    world.settle();
    assertNotNull(peer.over());
    world.time.pass(MINUTE);
    assertEquals(before + 3, world.device.keys());
    world.device.use(false);
    world.settle();
    assertEquals(before, world.device.keys());
  }

  /** @param length length of the slab; 0 to remove it */
  private void announce(RawPeer peer, int slab, int length) {
    RegionToken token = RegionToken.of(peer.memory());
    peer.send(Frame.RKEY, 0, slab, length,
      ByteBuffer.allocate(Long.BYTES + token.key().length).putLong(token.address()).put(token.key()).array());
    world.settle();
  }
}
