package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.support.RefusingDevice;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RekeyTest {
  private static final int PAGE = 4096;
  /** All other registered memory consists of whole pages. */
  private static final int SIZE = (1 << 20) + 1;

  private static final class Setting implements AutoCloseable {
    final VertxInternal vertx = (VertxInternal) Vertx.vertx();
    final AtomicInteger changes = new AtomicInteger();
    final TestNode owner;
    final List<TestNode> users = new ArrayList<>();
    final List<TestNode.End> ends = new ArrayList<>();
    final List<RemoteRegion> remotes = new ArrayList<>();
    final OwnedRegion region;

    Setting(Device device, RegionAccess... access) throws Exception {
      owner = new TestNode(vertx, "owner", new RegionRegistry.Listener() {
        @Override
        public void keysChanged(OwnedRegion changed) {
          changes.incrementAndGet();
        }
      }, device);
      region = owner.share("table", SIZE, access);
      for (int i = 0; i < 3; i++) {
        TestNode user = new TestNode(vertx, "user" + i, RegionRegistry.Listener.NONE, device);
        users.add(user);
        ends.add(user.connect(owner, 0)[0]);
        remotes.add(ends.getLast().open(region));
      }
    }

    void kill(int user) {
      ends.get(user).link.loop().eventLoop().execute(() -> ends.get(user).link.fail(new RdmaException(Reason.OTHER, "dies on purpose")));
    }

    @Override
    public void close() throws Exception {
      for (TestNode user : users) {
        user.close();
      }
      owner.close();
      await(vertx.close());
    }
  }

  @Test
  void theKeyChangesUnderTrafficWhenAHolderDies() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("rekey", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    try (Setting s = new Setting(fabric.rdmDevice(), READ, WRITE)) {
      RegionToken before = s.region.tokens().values().iterator().next();
      List<Future<?>> traffic = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        for (RemoteRegion remote : s.remotes.subList(0, 2)) {
          traffic.add(remote.write(i * 100, Buffer.buffer(new byte[50_000])));
          traffic.add(remote.read(0, 300_000));
        }
        if (i == 20) {
          s.kill(2);
        }
      }
      await(Future.all(traffic));
      until("the key has changed", () -> s.changes.get() == 1 && s.region.generation() == 2);
      assertNotEquals(before, s.region.tokens().values().iterator().next());
      until("the old one is gone", () -> fabric.registeredBytes() % PAGE == SIZE % PAGE);
      await(s.remotes.get(0).read(0, 100));
      await(s.remotes.get(1).write(0, Buffer.buffer("still")));
      assertEquals(2, s.region.holders().size());
      RemoteRegion late = await(s.ends.get(0).peer.open(Caller.of(s.vertx.getOrCreateContext()), s.region.id(), before, 1));
      assertEquals("still", await(late.read(0, 5)).toString());
      RegionToken now = s.region.tokens().values().iterator().next();
      RemoteRegion known = await(s.ends.get(1).peer.open(Caller.of(s.vertx.getOrCreateContext()), s.region.id(), now, 2));
      assertEquals("still", await(known.read(0, 5)).toString());
    }
  }

  @Test
  void severalDeathsAtOnceEndWithAKeyThatNoneOfThemKnows() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("rekey", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    try (Setting s = new Setting(fabric.rdmDevice(), READ, WRITE)) {
      s.kill(1);
      s.kill(2);
      until("both are forgotten", () -> s.region.holders().size() == 1);
      until("the key has changed", () -> s.changes.get() >= 1);
      await(s.remotes.get(0).read(0, 100));
      await(s.region.close());
    }
  }

  @Test
  void aKeyThatOnlyReadsOrThatDiesWithItsConnectionStays() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("rekey", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    for (Setting s : List.of(new Setting(fabric.rdmDevice(), READ), new Setting(fabric.device(), READ, WRITE))) {
      try (s) {
        s.kill(2);
        until("it is forgotten", () -> s.region.holders().size() == 2);
        await(s.remotes.get(0).read(0, 100));
        assertEquals(1, s.region.generation());
        assertEquals(0, s.changes.get());
      }
    }
  }

  private static final class FullDevice extends RefusingDevice {
    final AtomicInteger refused = new AtomicInteger();
    volatile boolean full;

    FullDevice(Device raw) {
      super(raw);
    }

    @Override
    protected int refusal(WorkRequest request) {
      if (full && request.operation().isRead()) {
        refused.incrementAndGet();
        return Status.AGAIN;
      }
      return Status.OK;
    }
  }

  @Test
  void aReadThatWaitsForAPlaceKeepsNoKey() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("rekey", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    FullDevice device = new FullDevice(fabric.rdmDevice());
    try (Setting s = new Setting(device, READ, WRITE)) {
      await(s.remotes.get(0).write(0, Buffer.buffer("kept")));
      device.full = true;
      Future<Buffer> read = s.remotes.get(0).read(0, 300_000);
      until("it waits", () -> device.refused.get() > 0);
      s.kill(2);
      until("the key has changed", () -> s.changes.get() == 1);
      until("the old one is gone", () -> fabric.registeredBytes() % PAGE == SIZE % PAGE);
      assertFalse(read.isComplete());
      assertEquals(2, s.region.holders().size());
      device.full = false;
      assertEquals("kept", await(read).getString(0, 4));
    }
  }

  private static final class KeyedDevice extends ForwardingDevice {
    final Deque<Byte> keys = new ArrayDeque<>();
    final List<Byte> closed = new ArrayList<>();

    KeyedDevice(Device raw) {
      super(raw, "keyed");
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        @Override
        public MemoryRegion register(MemorySegment memory, Set<Access> access) {
          byte key = keys.poll();
          MemoryRegion region = raw().register(memory, access);
          return new MemoryRegion() {
            @Override
            public MemorySegment segment() {
              return region.segment();
            }

            @Override
            public long size() {
              return region.size();
            }

            @Override
            public Set<Access> access() {
              return region.access();
            }

            @Override
            public long remoteAddress() {
              return 0;
            }

            @Override
            public byte[] remoteKey() {
              return new byte[] {key};
            }

            @Override
            public void close() {
              closed.add(key);
              region.close();
            }
          };
        }
      };
    }
  }

  @Test
  void aKeyThatWasRevokedLatelyIsSetAside() {
    InMemoryFabric fabric = InMemoryFabric.create("keys", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    KeyedDevice device = new KeyedDevice(fabric.device());
    Registrations registrations = new Registrations();
    try (Domain domain = device.open(); Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(64);
      device.keys.addAll(List.of((byte) 1, (byte) 1, (byte) 1, (byte) 2, (byte) 1, (byte) 2));
      MemoryRegion first = registrations.register(domain, memory, Set.of(Access.REMOTE_READ));
      registrations.deregister(domain, first);
      MemoryRegion second = registrations.register(domain, memory, Set.of(Access.REMOTE_READ));
      assertEquals(2, second.remoteKey()[0]);
      // Refused keys stay registered until a good one is found: otherwise the device would assign the same key again.
      assertEquals(List.of((byte) 1, (byte) 1, (byte) 1), device.closed);
      registrations.deregister(domain, second);
      for (int i = 0; i < 100; i++) {
        device.keys.add((byte) (i % 2 + 1));
      }
      RdmaException refused = assertThrows(RdmaException.class, () -> registrations.register(domain, memory, Set.of(Access.REMOTE_READ)));
      assertEquals(Reason.LIMIT, refused.reason());
      assertTrue(refused.getMessage().contains("keyed"), refused.getMessage());
      assertEquals(0, fabric.openRegions());
    }
  }
}
