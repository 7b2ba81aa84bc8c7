package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SplitRegionTest {
  private static final int SIZE = 1 << 20;
  private static final int LEAST = 64 << 10;
  private static final int AT = 5;
  private static final int LONG = SIZE - 13;

  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final InMemoryFabric fabric = InMemoryFabric.create("rails", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<HoldingDevice> devices = List.of(new HoldingDevice(fabric.device()), new HoldingDevice(fabric.device()));
  private final List<RegionEnd> ends = new CopyOnWriteArrayList<>();
  private final AtomicInteger over = new AtomicInteger();
  private final byte[] bytes = new byte[LONG];
  private TestNode owner;
  private TestNode user;
  private List<TestNode.End> near;
  private OwnedRegion region;
  private RemoteRegion second;
  private SplitRegion remote;

  @BeforeEach
  void start() throws Exception {
    owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, devices.get(0), devices.get(1));
    user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, devices.get(0), devices.get(1));
    near = List.of(user.connect(owner, 0)[0], user.connect(owner, 1)[0]);
    region = owner.share("table", SIZE, READ, WRITE, ATOMIC);
    second = near.get(1).open(region);
    remote = SplitRegion.of(near.get(0).open(region), second, LEAST, Caller.of(vertx.getOrCreateContext()));
    remote.closeHandler(ends::add);
    remote.whenClosed(over::incrementAndGet);
    new Random(1).nextBytes(bytes);
  }

  @AfterEach
  void stop() throws Exception {
    devices.forEach(HoldingDevice::drop);
    user.close();
    owner.close();
    await(vertx.close());
    assertEquals(0, fabric.registeredBytes(), "bytes still registered");
    assertEquals(0, fabric.openEndpoints(), "endpoints still open");
  }

  private void hold(boolean on) {
    devices.forEach(device -> device.hold(on));
  }

  private boolean areHeld() {
    return devices.stream().allMatch(device -> device.held() > 0);
  }

  private byte[] written() {
    return region.segment().asSlice(AT, LONG).toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void halvesGoOverBothAndEndTogether() throws Exception {
    hold(true);
    Future<Void> write = remote.write(AT, Buffer.buffer(bytes));
    until("both halves are posted", this::areHeld);
    devices.get(0).release();
    until("the first half is there", () -> devices.get(0).held() == 0);
    await(remote.read(0, 1));
    assertFalse(write.isComplete());
    devices.get(1).release();
    await(write);
    assertArrayEquals(bytes, written());
  }

  @Test
  void bytesArriveInAnyKindOfMemory() throws Exception {
    OwnedRegion local = user.share(new RegionOptions().setSize(SIZE + 7));
    MemorySegment.copy(bytes, 0, local.segment(), ValueLayout.JAVA_BYTE, 7, LONG);
    await(remote.write(AT, local, 7, LONG));
    assertArrayEquals(bytes, written());
    local.segment().fill((byte) 0);
    await(remote.read(AT, local, 3, LONG));
    assertArrayEquals(bytes, local.segment().asSlice(3, LONG).toArray(ValueLayout.JAVA_BYTE));
    assertArrayEquals(bytes, await(remote.read(AT, LONG)).getBytes());
    Buffer into = Buffer.buffer("what is there");
    assertEquals(into, await(remote.read(AT, into, 5, LONG)));
    assertEquals(Buffer.buffer("what ").appendBytes(bytes), into);
    assertTrue(remote.strategies().contains(LEAST + " bytes: in halves over"), remote.strategies());
  }

  @Test
  void othersGoOverTheFirst() throws Exception {
    devices.get(1).hold(true);
    await(remote.write(0, Buffer.buffer(new byte[LEAST - 1])));
    assertEquals(LEAST - 1, await(remote.read(0, LEAST - 1)).length());
    await(remote.writeNotify(0, Buffer.buffer(new byte[LEAST]), 1));
    assertEquals(0L, await(remote.fetchAndAdd(SIZE - 8, 1)));
    assertFalse(assertFails(Reason.ACCESS_DENIED, remote.write(SIZE - LONG, Buffer.buffer(bytes)), "used with atomics").isEffectUnknown());
    assertFalse(assertFails(Reason.OUT_OF_RANGE, remote.write(SIZE - LEAST, Buffer.buffer(bytes))).isEffectUnknown());
    OwnedRegion local = user.share(new RegionOptions().setSize(LEAST + 1));
    assertFalse(assertFails(Reason.OUT_OF_RANGE, remote.write(0, local, 2, LEAST)).isEffectUnknown());
    assertEquals(0, devices.get(1).held());
    assertEquals(-1, region.segment().asSlice(0, SIZE - 8).mismatch(MemorySegment.ofArray(new byte[SIZE - 8])));
  }

  @Test
  void aHalfThatIsLateLeavesTheOutcomeOpen() throws Exception {
    devices.get(1).hold(true);
    RemoteRegion hasty = remote.withTimeout(Duration.ofMillis(100));
    assertTrue(
      assertFails(Reason.TIMEOUT, hasty.write(AT, Buffer.buffer(bytes)), LONG + " bytes at offset " + AT, "100 ms").isEffectUnknown());
    assertFalse(assertFails(Reason.TIMEOUT, hasty.read(AT, LONG)).isEffectUnknown());
    devices.get(1).release();
    until("the late ones are over", () -> devices.get(1).held() == 0);
    await(remote.write(AT, Buffer.buffer(bytes)));
    assertArrayEquals(bytes, await(remote.read(AT, LONG)).getBytes());
  }

  @Test
  void halfAnEffectIsOne() throws Exception {
    await(second.close());
    assertTrue(assertFails(Reason.CLOSED, remote.write(AT, Buffer.buffer(bytes))).isEffectUnknown());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void laterCallsGoOverTheOtherConnectionWhenOneIsLost(int lost) throws Exception {
    hold(true);
    Future<Buffer> read = remote.read(AT, LONG);
    Future<Void> write = remote.write(AT, Buffer.buffer(bytes));
    until("the halves are posted", this::areHeld);
    near.get(lost).die("its cable is cut");
    until("it is over", near.get(lost).closed::isDone);
    assertFalse(read.isComplete() || write.isComplete(), "before the other half");
    devices.get(1 - lost).release();
    assertFails(Reason.CONNECTION_LOST, read, "its cable is cut");
    assertTrue(assertFails(Reason.CONNECTION_LOST, write, "its cable is cut").isEffectUnknown());
    List<RegionNotification> told = new CopyOnWriteArrayList<>();
    region.notificationHandler(told::add);
    await(remote.writeNotify(AT, Buffer.buffer(bytes), 7));
    until("the owner was told", () -> told.size() == 1);
    await(remote.write(AT, Buffer.buffer(bytes)));
    assertArrayEquals(bytes, await(remote.read(AT, LONG)).getBytes());
    assertEquals(0L, await(remote.fetchAndAdd(SIZE - 8, 1)));
    assertFails(Reason.ACCESS_DENIED, remote.write(SIZE - LEAST, Buffer.buffer(new byte[LEAST])), "used with atomics");
    assertTrue(ends.isEmpty() && over.get() == 0, "it can be used");
    near.get(1 - lost).die("its process ended");
    until("the application was told", () -> ends.equals(List.of(RegionEnd.CONNECTION_LOST)) && over.get() == 1);
    assertFails(Reason.CONNECTION_LOST, remote.read(0, 1), "its process ended");
    await(remote.close());
  }

  @Test
  void aRevokeWaitsForBoth() throws Exception {
    hold(true);
    Future<Void> write = remote.write(AT, Buffer.buffer(bytes));
    until("the halves are posted", this::areHeld);
    Future<Void> revoked = region.revoke(Duration.ofSeconds(20));
    until("the application was told", () -> ends.equals(List.of(RegionEnd.REVOKED)));
    devices.get(0).release();
    until("the first has given it back", () -> region.holders().size() == 1);
    assertFalse(revoked.isComplete());
    devices.get(1).release();
    await(revoked);
    await(write.otherwiseEmpty());
    assertFails(Reason.REVOKED, remote.read(AT, LONG), "'table'");
    assertFails(Reason.REVOKED, remote.read(0, 1), "'table'");
    until("both are over", () -> over.get() == 1);
    assertEquals(List.of(RegionEnd.REVOKED), ends);
  }

  @Test
  void aCloseWaitsForBoth() throws Exception {
    hold(true);
    Future<Buffer> read = remote.read(AT, LONG);
    until("the halves are posted", this::areHeld);
    Future<Void> closed = remote.close();
    devices.get(0).release();
    until("the first was given back", () -> region.holders().size() == 1);
    assertFalse(closed.isComplete());
    devices.get(1).release();
    assertEquals(LONG, await(read).length());
    await(closed);
    until("the owner knows", () -> region.holders().isEmpty());
    assertFails(Reason.CLOSED, remote.read(AT, LONG), "closed by this side");
    assertTrue(ends.isEmpty() && over.get() == 1);
  }
}
