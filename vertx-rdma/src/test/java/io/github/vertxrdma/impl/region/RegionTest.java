package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/**
 * Remote memory on shared memory, and on in-memory fabrics that lack one capability each: <ul> <li>{@code separate}: no notified write
 * carries its data in its notification. <li>{@code unordered}: messages overtake writes. <li>{@code undelivered}: a write has no proof of
 * delivery but a message after it. <li>{@code no-atomics}: the owner executes atomic operations. <li>{@code overtaken}: plain writes are
 * delivered late, so that messages overtake them. <li>{@code strict}: every use that is wrong on some fabric is wrong. </ul>
 */
@OverFabrics(
  value = {"memory", "memory-rdm", "separate", "unordered", "undelivered", "no-atomics", "overtaken", "strict", "shm"},
  full = "strict-tcp")
@Timeout(60)
class RegionTest {
  private static final int SIZE = 3 << 20;

  @Parameter
  private String fabric;
  private InMemoryFabric memory;
  private StrictDevice strict;
  private VertxInternal vertx;
  private TestNode owner;
  private TestNode user;
  private TestNode.End near;

  private Device device() {
    Capabilities capabilities = InMemoryFabric.CAPABILITIES;
    return switch (fabric) {
      case "memory", "separate" -> memory(capabilities).device();
      case "memory-rdm" -> memory(capabilities).rdmDevice();
      case "unordered" -> {
        Set<Order> orders = EnumSet.copyOf(capabilities.orders());
        orders.remove(Order.SEND_AFTER_WRITE);
        yield memory(capabilities.toBuilder().orders(orders).build()).device();
      }
      case "undelivered" -> memory(capabilities.toBuilder().deliveryComplete(false).build()).device();
      case "no-atomics" -> {
        Set<Operation> operations = EnumSet.copyOf(capabilities.operations());
        operations.remove(Operation.FETCH_ADD);
        yield memory(capabilities.toBuilder().operations(operations).build()).device();
      }
      case "overtaken" -> strict(memory(capabilities.toBuilder().orders(Set.of(Order.SEND_AFTER_SEND)).build()).rdmDevice());
      case "strict" -> strict(memory(capabilities).device());
      case "strict-tcp" -> strict(Devices.require("tcp"));
      default -> Devices.require(fabric);
    };
  }

  private InMemoryFabric memory(Capabilities capabilities) {
    memory = InMemoryFabric.create("regions", capabilities, InMemoryFabric.LIMITS);
    return memory;
  }

  private Device strict(Device device) {
    strict = StrictDevice.over(device);
    return strict;
  }

  private LoopOptions options() {
    LoopOptions o = LoopOptions.DEFAULT;
    return !fabric.equals("separate") ? o
      : new LoopOptions(o.bufferSize(), o.dataCredits(), o.controlCredits(), o.fragmentSize(), o.maxMessageSize(),
        o.closeIdleMillis(), o.suspectMillis(), o.deadMillis(), 0, o.zeroCopyBytes());
  }

  @BeforeEach
  void start() throws Exception {
    Device device = device();
    vertx = (VertxInternal) Vertx.vertx();
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, device);
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, options(), device);
    near = user.connect(owner, 0)[0];
  }

  @AfterEach
  void stop() throws Exception {
    if (vertx == null) {
      return;
    }
    user.close();
    owner.close();
    await(vertx.close());
    if (memory != null) {
      assertEquals(0, memory.registeredBytes(), "bytes still registered");
      assertEquals(0, memory.openEndpoints(), "endpoints still open");
    }
    if (strict != null) {
      assertEquals(List.of(), strict.violations());
    }
  }

  private static byte[] random(int seed, int size) {
    return Pattern.bytes(seed, size);
  }

  @Test
  void writtenBytesAreReadBack() throws Exception {
    OwnedRegion region = owner.share("table", SIZE, READ, WRITE);
    OwnedRegion local = user.share(new RegionOptions().setSize(SIZE));
    RemoteRegion remote = near.open(region);
    assertEquals("table", remote.name());
    assertEquals(SIZE, remote.size());
    assertEquals("owner", remote.nodeId());
    for (int size : new int[] {0, 1, 8, 4096, 256 << 10, (256 << 10) + 1, 2_500_000}) {
      byte[] bytes = random(size, size);
      await(remote.write(11, Buffer.buffer(bytes)));
      assertArrayEquals(bytes, region.segment().asSlice(11, size).toArray(ValueLayout.JAVA_BYTE), "written " + size);
      assertArrayEquals(bytes, await(remote.read(11, size)).getBytes(), "read " + size);
      Buffer into = Buffer.buffer(new byte[size + 5]);
      assertSame(into, await(remote.read(11, into, 5, size)));
      assertArrayEquals(bytes, into.getBytes(5, 5 + size));
      await(remote.read(11, local, 3, size));
      assertArrayEquals(bytes, local.segment().asSlice(3, size).toArray(ValueLayout.JAVA_BYTE), "read into a region " + size);
      await(remote.write(20, local, 3, size));
      assertArrayEquals(bytes, region.segment().asSlice(20, size).toArray(ValueLayout.JAVA_BYTE), "written from a region " + size);
    }
  }

  @Test
  void notificationsComeInOrderAndBehindTheirData() throws Exception {
    OwnedRegion region = owner.share("table", 3 * SIZE, READ, WRITE);
    ConcurrentLinkedQueue<RegionNotification> got = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Long> wrong = new ConcurrentLinkedQueue<>();
    region.notificationHandler(n -> {
      MemorySegment part = region.segment().asSlice(n.offset(), n.length());
      for (long i = 0; i < n.length(); i++) {
        if (part.get(ValueLayout.JAVA_BYTE, i) != (byte) n.tag()) {
          wrong.add(n.tag());
        }
      }
      got.add(n);
    });
    RemoteRegion remote = near.open(region);
    int count = 60;
    long at = 0;
    for (int i = 0; i < count; i++) {
      int size = i % 7 == 3 ? 900_000 : i % 5 == 0 ? 0 : i % 3 == 0 ? 2_000 + i : 100 + i;
      byte[] bytes = new byte[size];
      Arrays.fill(bytes, (byte) (i + 1));
      Future<Void> write = remote.writeNotify(at, Buffer.buffer(bytes), i + 1);
      at += size;
      if (i == count - 1) {
        await(write);
      }
    }
    until("all notifications came", () -> got.size() == count);
    long tag = 1;
    for (RegionNotification n : got) {
      assertEquals(tag++, n.tag());
      assertEquals("user", n.nodeId());
    }
    assertTrue(wrong.isEmpty(), "notified before the data: " + wrong);
  }

  @Test
  void aNotifiedWriteIsInTheOwnersMemoryWhenItsFutureCompletes() throws Exception {
    OwnedRegion region = owner.share("table", SIZE, READ, WRITE);
    RemoteRegion remote = near.open(region);
    int carried = Math.min(Math.max(options().notifyInlineLimit(), 1), near.link.maxPayload() - RegionFrames.INLINE_HEAD);
    for (int size : new int[] {0, 1, 64, carried - 1, carried, carried + 1, 3 * carried}) {
      byte[] bytes = random(size, size);
      region.segment().fill((byte) 0);
      await(remote.writeNotify(13, Buffer.buffer(bytes), 1));
      assertArrayEquals(bytes, region.segment().asSlice(13, size).toArray(ValueLayout.JAVA_BYTE), size + " bytes");
      assertEquals(0, region.segment().get(ValueLayout.JAVA_BYTE, 12), "before " + size + " bytes");
      assertEquals(0, region.segment().get(ValueLayout.JAVA_BYTE, 13 + size), "behind " + size + " bytes");
    }
    byte[] last = random(7, 8);
    await(remote.writeNotify(SIZE - 8, Buffer.buffer(last), 1));
    assertArrayEquals(last, region.segment().asSlice(SIZE - 8).toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void ownerIsNotifiedOfReads() throws Exception {
    OwnedRegion region = owner.share("table", 4096, READ);
    ConcurrentLinkedQueue<RegionNotification> got = new ConcurrentLinkedQueue<>();
    region.segment().set(ValueLayout.JAVA_BYTE, 7, (byte) 42);
    RemoteRegion remote = near.open(region);
    assertEquals(42, await(remote.readNotify(7, 1, 99)).getByte(0));
    region.notificationHandler(got::add);
    until("the notification came", () -> got.size() == 1);
    assertEquals(new RegionNotification(region, RegionNotification.Kind.READ, 7, 1, 99, "user"), got.peek());
  }

  @Test
  void atomicsReturnTheOldValue() throws Exception {
    OwnedRegion region = owner.share("counters", 64, READ, ATOMIC);
    RemoteRegion remote = near.open(region);
    assertEquals(0, await(remote.fetchAndAdd(8, 5)));
    assertEquals(5, await(remote.fetchAndAdd(8, -2)));
    assertTrue(await(remote.compareAndSet(8, 3, 77)));
    assertFalse(await(remote.compareAndSet(8, 3, 78)));
    assertEquals(77, await(remote.compareAndExchange(8, 3, 78)));
    assertEquals(77, region.getAcquire(8));
  }
}
