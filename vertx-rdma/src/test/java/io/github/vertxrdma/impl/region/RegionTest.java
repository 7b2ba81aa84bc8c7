package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Notification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.testkit.memory.InMemoryFabric;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a region does, on fabrics that lack this and that. */
@Timeout(60)
class RegionTest {
  private static final int SIZE = 3 << 20;

  /** Fabrics by what they lack. */
  enum Fabric {
    WHOLE(c -> c),
    UNORDERED(c -> without(c, Order.SEND_AFTER_WRITE)),
    UNDELIVERED(c -> c.toBuilder().deliveryComplete(false).build()),
    WITHOUT_ATOMICS(c -> {
      Set<Operation> operations = EnumSet.copyOf(c.operations());
      operations.remove(Operation.FETCH_ADD);
      return c.toBuilder().operations(operations).build();
    });

    final Capabilities capabilities;

    Fabric(java.util.function.UnaryOperator<Capabilities> change) {
      capabilities = change.apply(InMemoryFabric.CAPABILITIES);
    }

    static Capabilities without(Capabilities c, Order order) {
      Set<Order> orders = EnumSet.copyOf(c.orders());
      orders.remove(order);
      return c.toBuilder().orders(orders).build();
    }

    InMemoryFabric create() {
      return InMemoryFabric.create("regions-" + name(), capabilities, InMemoryFabric.LIMITS);
    }
  }

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private InMemoryFabric fabric;
  private TestNode owner;
  private TestNode user;
  private TestNode.End near;

  private void start(Fabric kind) throws Exception {
    fabric = kind.create();
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, fabric.device());
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, fabric.device());
    near = user.connect(owner, 0)[0];
  }

  @AfterEach
  void stop() throws Exception {
    user.close();
    owner.close();
    await(vertx.close());
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  private static byte[] random(int seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Fabric.class)
  void whatIsWrittenIsThereAndIsRead(Fabric kind) throws Exception {
    start(kind);
    OwnedRegion region = owner.share("table", SIZE, READ, WRITE);
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
      await(remote.read(11, into, 5, size));
      assertArrayEquals(bytes, into.getBytes(5, 5 + size));
    }
  }

  @ParameterizedTest
  @EnumSource(Fabric.class)
  void notificationsComeInOrderAndBehindTheirData(Fabric kind) throws Exception {
    start(kind);
    OwnedRegion region = owner.share("table", SIZE, READ, WRITE);
    ConcurrentLinkedQueue<Notification> got = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Long> wrong = new ConcurrentLinkedQueue<>();
    region.notificationHandler(n -> {
      MemorySegment part = region.segment().asSlice(n.offset(), n.length());
      for (long i = 0; i < n.length(); i += 1 + n.length() / 16) {
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
      int size = i % 7 == 3 ? 300_000 : i % 5 == 0 ? 0 : 100 + i;
      byte[] bytes = new byte[size];
      java.util.Arrays.fill(bytes, (byte) (i + 1));
      var write = remote.writeNotify(at, Buffer.buffer(bytes), i + 1);
      at += size;
      if (i == count - 1) {
        await(write);
      }
    }
    until("all notifications came", () -> got.size() == count);
    long tag = 1;
    for (Notification n : got) {
      assertEquals(tag++, n.tag());
      assertEquals("user", n.nodeId());
    }
    assertTrue(wrong.isEmpty(), "notified before the data: " + wrong);
  }

  @ParameterizedTest
  @EnumSource(Fabric.class)
  void theOwnerHearsOfReads(Fabric kind) throws Exception {
    start(kind);
    OwnedRegion region = owner.share("table", 4096, READ);
    ConcurrentLinkedQueue<Notification> got = new ConcurrentLinkedQueue<>();
    region.segment().set(ValueLayout.JAVA_BYTE, 7, (byte) 42);
    RemoteRegion remote = near.open(region);
    assertEquals(42, await(remote.readNotify(7, 1, 99)).getByte(0));
    // Set late: what came before waits.
    region.readHandler(got::add);
    until("the notification came", () -> got.size() == 1);
    assertEquals(new Notification(7, 1, 99, "user"), got.peek());
  }

  @ParameterizedTest
  @EnumSource(Fabric.class)
  void atomicsReturnTheOldValue(Fabric kind) throws Exception {
    start(kind);
    OwnedRegion region = owner.share("counters", 64, READ, ATOMIC);
    RemoteRegion remote = near.open(region);
    assertEquals(0, await(remote.fetchAndAdd(8, 5)));
    assertEquals(5, await(remote.fetchAndAdd(8, -2)));
    assertTrue(await(remote.compareAndSet(8, 3, 77)));
    assertFalse(await(remote.compareAndSet(8, 3, 78)));
    assertEquals(77, await(remote.compareAndExchange(8, 3, 78)));
    assertEquals(77, region.getAcquire(8));
  }

  @ParameterizedTest
  @EnumSource(Fabric.class)
  void memoryOfThisProcessIsUsedWithoutCopy(Fabric kind) throws Exception {
    start(kind);
    OwnedRegion region = owner.share("table", SIZE, READ, WRITE);
    OwnedRegion local = user.share(new RegionOptions().setSize(SIZE));
    RemoteRegion remote = near.open(region);
    byte[] bytes = random(4, SIZE - 100);
    MemorySegment.copy(bytes, 0, local.segment(), ValueLayout.JAVA_BYTE, 50, bytes.length);
    await(remote.write(100, local, 50, bytes.length));
    assertArrayEquals(bytes, region.segment().asSlice(100).toArray(ValueLayout.JAVA_BYTE));
    local.segment().fill((byte) 0);
    await(remote.read(100, local, 3, bytes.length));
    assertArrayEquals(bytes, local.segment().asSlice(3, bytes.length).toArray(ValueLayout.JAVA_BYTE));
  }

  static Stream<Fabric> all() {
    return Stream.of(Fabric.values());
  }
}
