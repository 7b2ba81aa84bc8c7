package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.simulator.SimulatedLoop;
import io.github.vertxrdma.simulator.world.VirtualTime;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bounds, isolation between peers, and release of a loop's memory. The test acts as the loop and does the requested registrations. */
@Timeout(60)
class LoopMemoryTest {
  private static final int BUFFER = 512;
  private static final int FRAGMENT = 4096;
  /** Number of staging slots in one slab, and maximum number. */
  private static final int SLAB = 8;
  private static final int MOST = 64;
  private static final int ZERO_COPY = 16 * 4096;

  private record Registration<T>(Callable<T> call, Promise<T> promise) {
    void run() throws Exception {
      promise.complete(call.call());
    }
  }

  /** A loop whose blocking work runs when the test calls {@link #register}. */
  private final class AskedLoop extends SimulatedLoop {
    AskedLoop() {
      super(time, 1);
    }

    @Override
    public <T> Future<T> blocking(Callable<T> work) {
      Promise<T> promise = Promise.promise();
      asked.add(new Registration<>(work, promise));
      return promise.future();
    }
  }

  private final VirtualTime time = new VirtualTime();
  private final InMemoryFabric fabric = InMemoryFabric.create("loop", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final Domain domain = fabric.device().open();
  /** Pending registrations. */
  private final ArrayDeque<Registration<?>> asked = new ArrayDeque<>();
  /** Number of notifications that a pool has grown or cannot grow. */
  private int grown;
  private final LoopMemory memory = memory(ZERO_COPY);
  private final ExposedMemory peer = memory.peer("peer");

  private LoopMemory memory(int zeroCopyBytes) {
    LoopOptions d = LoopOptions.DEFAULT;
    LoopOptions options = new LoopOptions(BUFFER, d.dataCredits(), d.controlCredits(), FRAGMENT, d.maxMessageSize(), d.closeIdleMillis(),
      d.suspectMillis(), d.deadMillis(), d.notifyInlineLimit(), zeroCopyBytes);
    return new LoopMemory(new AskedLoop(), domain, options, new RequestTable(), () -> grown++);
  }

  @AfterEach
  void nothingStaysRegistered() throws Exception {
    memory.stop();
    register();
    memory.close();
    assertEquals(0, fabric.registeredBytes());
    domain.close();
  }

  private void register() throws Exception {
    for (Registration<?> next = asked.poll(); next != null; next = asked.poll()) {
      next.run();
    }
  }

  private void refuse(Throwable cause) {
    for (Registration<?> next = asked.poll(); next != null; next = asked.poll()) {
      next.promise.fail(cause);
    }
  }

  private List<StagingSlot> takeAll() throws Exception {
    List<StagingSlot> taken = new ArrayList<>();
    do {
      register();
      for (StagingSlot slot = memory.takeStaging(null, 0); slot != null; slot = memory.takeStaging(null, 0)) {
        taken.add(slot);
      }
    } while (!asked.isEmpty());
    return taken;
  }

  private void release(List<StagingSlot> slots) {
    slots.forEach(memory.stagingSlots::release);
  }

  @Test
  void memoryGrowsUpToItsBound() throws Exception {
    assertNull(memory.takeStaging(null, 0));
    register();
    assertEquals(SLAB * FRAGMENT, fabric.registeredBytes());
    assertEquals(fabric.registeredBytes(), memory.size());
    List<StagingSlot> taken = takeAll();
    assertEquals(MOST, new HashSet<>(taken).size());
    assertEquals(MOST * FRAGMENT, fabric.registeredBytes());
    assertEquals(fabric.registeredBytes(), memory.size());
    release(taken.subList(0, 3));
    assertEquals(new HashSet<>(taken.subList(0, 3)), new HashSet<>(takeAll()));
  }

  /** This happens after a restart, when all peers return within the time of one registration. */
  @Test
  void boundHoldsWhenManyPeersRequestMemoryAtOnce() throws Exception {
    for (int i = 0; i < 10; i++) {
      memory.peer("allocates " + i).allocate(ZERO_COPY);
    }
    register();
    assertEquals(4 * ZERO_COPY, fabric.registeredBytes());
    for (int i = 0; i < 1_000; i++) {
      memory.peer("takes " + i).take(null);
    }
    register();
    assertTrue(fabric.registeredBytes() <= 4 * ZERO_COPY + 256 * FRAGMENT, fabric.registeredBytes() + " bytes");
  }

  @Test
  void peersThatHaveMemoryGetNoMoreThanTheirBound() throws Exception {
    assertEquals(64, takeAll(peer));
    assertEquals(2, takeAll(memory.peer("later")));
    assertEquals(0, takeAll(peer));
  }

  private int takeAll(ExposedMemory of) throws Exception {
    int taken = 0;
    do {
      register();
      while (of.take(null) != null) {
        taken++;
      }
    } while (!asked.isEmpty());
    return taken;
  }

  private StagingSlot takeOrGrow(int held) throws Exception {
    StagingSlot slot = memory.takeStaging(null, held);
    register();
    return slot != null ? slot : memory.takeStaging(null, held);
  }

  /** A silent peer returns no slot until it is declared dead. */
  @Test
  void linkThatReturnsNoSlotLeavesSlotsToOthers() throws Exception {
    List<StagingSlot> taken = new ArrayList<>();
    for (int link = 0; link < 4; link++) {
      int before = taken.size();
      for (StagingSlot slot = takeOrGrow(0); slot != null; slot = takeOrGrow(taken.size() - before)) {
        taken.add(slot);
      }
      assertTrue(taken.size() > before, "link " + link + " gets no slot");
    }
    release(taken);
  }

  @Test
  void refusedReceivesReportTheCause() {
    Future<Void> reserved = memory.reserveReceives(1);
    refuse(new ProviderException(ProviderException.Reason.LIMIT, "no memory"));
    RdmaException why = assertInstanceOf(RdmaException.class, reserved.cause());
    assertEquals(Reason.LIMIT, why.reason());
    assertEquals("no memory", why.getMessage());
  }

  @Test
  void requestsBeforeARegistrationCompletesShareIt() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertNull(memory.takeStaging(null, 0));
      assertNull(peer.take(null));
      assertNull(memory.takeSend(null));
    }
    assertEquals(3, asked.size(), "registrations of three pools");
    register();
    assertNotNull(memory.takeStaging(null, 0));
    assertNotNull(peer.take(null));
    assertNotNull(memory.takeSend(null));
  }

  /** The fabric may access slots of closed links as long as its endpoint is open. */
  @Test
  void quarantinedSlotsDoNotReduceTheSlotsOfOthers() throws Exception {
    List<StagingSlot> all = takeAll();
    List<StagingSlot> held = all.subList(0, 2 * SLAB);
    for (int i = 0; i < 2; i++) {
      // A second call changes nothing.
      held.forEach(memory.stagingSlots::quarantine);
    }
    assertEquals(2 * SLAB, takeAll().size());
    release(held);
    assertFalse(memory.stagingSlots.canGrow(1));
    assertEquals(new HashSet<>(held), new HashSet<>(takeAll()));
    // The released slots may be quarantined again.
    all.subList(0, 4 * SLAB).forEach(memory.stagingSlots::quarantine);
    assertEquals(2 * SLAB, takeAll().size());
    assertEquals(MOST + 4 * SLAB, memory.stagingSlots.inUse());
  }

  @Test
  void registrationIsRetriedWhenNoSlotExists() throws Exception {
    for (int i = 1; i < 3; i++) {
      assertNull(peer.take(null));
      refuse(new RdmaException(Reason.LIMIT, "no more"));
      assertEquals(i, grown);
      assertNull(peer.refusal());
    }
    assertNull(peer.take(null));
    register();
    assertNotNull(peer.take(null));
  }

  @Test
  void releasedSlotIsReusedAfterARefusedRegistration() throws Exception {
    assertNull(peer.take(null));
    register();
    List<RendezvousSlot> taken = new ArrayList<>();
    for (RendezvousSlot slot = peer.take(null); slot != null; slot = peer.take(null)) {
      taken.add(slot);
    }
    refuse(new RdmaException(Reason.LIMIT, "no more"));
    assertEquals(2, grown);
    peer.release(taken.getFirst());
    assertSame(taken.getFirst(), peer.take(null));
  }

  /** Otherwise each of many simultaneous connections would register a slab of its own. */
  @Test
  void concurrentReservationsOfReceivesShareASlab() throws Exception {
    List<Future<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      waiting.add(memory.reserveReceives(4));
    }
    assertEquals(1, asked.size());
    register();
    assertTrue(waiting.stream().allMatch(Future::succeeded));
    assertEquals(128, memory.receiveSlots.total());
  }

  @Test
  void receivesAreReservedOrRefused() throws Exception {
    Future<Void> one = memory.reserveReceives(40);
    Future<Void> other = memory.reserveReceives(100);
    assertFalse(one.isComplete() || other.isComplete());
    register();
    assertTrue(one.succeeded() && other.succeeded());
    int spare = memory.receiveSlots.available();
    assertEquals(memory.receiveSlots.total(), 140 + spare);
    assertTrue(memory.reserveReceives(spare).succeeded());
    assertEquals(0, memory.receiveSlots.available());
    Future<Void> tooMany = memory.reserveReceives(1 << 20);
    assertEquals(Reason.LIMIT, assertInstanceOf(RdmaException.class, tooMany.cause()).reason());
    assertTrue(tooMany.cause().getMessage().contains("already has " + memory.receiveSlots.total()), tooMany.cause().getMessage());
    Future<Void> refused = memory.reserveReceives(1);
    RdmaException cause = new RdmaException(Reason.LIMIT, "no more");
    refuse(cause);
    assertSame(cause, refused.cause());
  }

  @Test
  void largeMessagesShareASlabThatIsReused() throws Exception {
    Future<ByteBuf> one = peer.allocate(BUFFER + 1);
    Future<ByteBuf> other = peer.allocate(ZERO_COPY - RegisteredBufferPool.UNIT);
    assertEquals(1, asked.size());
    register();
    assertInstanceOf(RegisteredBuffer.class, one.result());
    assertInstanceOf(RegisteredBuffer.class, other.result());
    assertTrue(peer.allocate(BUFFER + 1).result().hasArray(), "the slab is full");
    one.result().release();
    other.result().release();
    assertEquals(0, memory.zeroCopyTaken());
    long registered = fabric.registeredBytes();
    ByteBuf again = peer.allocate(ZERO_COPY).result();
    assertInstanceOf(RegisteredBuffer.class, again);
    again.release();
    assertEquals(0, asked.size());
    assertEquals(registered, fabric.registeredBytes());
    assertEquals(registered, memory.size());
  }

  /** A remote key gives access to a complete slab. */
  @Test
  void slabReadableByOnePeerHoldsNoDataOfAnother() throws Exception {
    ExposedMemory other = memory.peer("other");
    assertNotSame(peer, other);
    Future<ByteBuf> message = peer.allocate(ZERO_COPY);
    Future<ByteBuf> othersMessage = other.allocate(ZERO_COPY);
    Set<MemoryRegion> slabs = new HashSet<>();
    for (ExposedMemory each : List.of(peer, other)) {
      assertNull(each.take(null));
      register();
      Set<MemoryRegion> own = new HashSet<>();
      for (RendezvousSlot slot = each.take(null); slot != null || !asked.isEmpty(); slot = each.take(null)) {
        if (slot == null) {
          register();
        } else {
          own.add(slot.region);
        }
      }
      own.add(each.outgoing.region());
      for (MemoryRegion slab : own) {
        assertTrue(slabs.add(slab), "both peers can read " + slab);
        assertEquals(Set.of(Access.REMOTE_READ), slab.access());
      }
    }
    assertTrue(peer.holds((RegisteredBuffer) message.result()) && other.holds((RegisteredBuffer) othersMessage.result()));
    assertFalse(peer.holds((RegisteredBuffer) othersMessage.result()) || other.holds((RegisteredBuffer) message.result()));
    message.result().release();
    othersMessage.result().release();
  }

  /** The memory behind a received message belongs to another message. */
  @Test
  void receivedMessageIsCopiedWhenItGrows() throws Exception {
    memory.openIncoming();
    register();
    RegisteredBuffer message = memory.takeIncoming(RegisteredBufferPool.UNIT);
    RegisteredBuffer behind = memory.takeIncoming(RegisteredBufferPool.UNIT);
    assertThrows(IndexOutOfBoundsException.class, () -> message.writeLong(5));
    assertThrows(UnsupportedOperationException.class, () -> message.capacity(8));
    behind.setZero(0, RegisteredBufferPool.UNIT);
    message.setLong(0, 3);
    message.growing().writeLong(5);
    message.setLong(0, 4);
    assertEquals(4, message.getLong(0));
    assertEquals(5, message.getLong(RegisteredBufferPool.UNIT));
    assertEquals(3, message.region().segment().get(ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), message.offset()));
    assertEquals(0, behind.getLong(0));
    assertTrue(message.release());
    assertTrue(behind.release());
    // All memory has been returned.
    assertEquals(0, memory.takeIncoming(2 * RegisteredBufferPool.UNIT).offset());
  }

  @Test
  void heapIsUsedWhenZeroCopyMemoryIsRefused() throws Exception {
    for (int i = 0; i < 2; i++) {
      Future<ByteBuf> message = peer.allocate(ZERO_COPY);
      memory.openIncoming();
      assertEquals(2, asked.size());
      refuse(new RdmaException(Reason.LIMIT, "no more"));
      assertTrue(message.result().hasArray());
      assertEquals(ZERO_COPY, message.result().writableBytes());
      assertTrue(peer.allocate(ZERO_COPY).result().hasArray());
      memory.openIncoming();
      assertEquals(0, asked.size());
      time.pass(TimeUnit.MILLISECONDS.toNanos(LoopMemory.RETRY_MILLIS));
    }
    // The next registration succeeds.
    Future<ByteBuf> message = peer.allocate(ZERO_COPY);
    memory.openIncoming();
    register();
    assertInstanceOf(RegisteredBuffer.class, message.result()).release();
    memory.takeIncoming(BUFFER).release();
  }

  @Test
  void nothingIsRegisteredWhenZeroCopyIsOff() {
    LoopMemory none = memory(0);
    none.openIncoming();
    assertTrue(none.peer("peer").allocate(ZERO_COPY).result().hasArray());
    assertEquals(0, asked.size());
  }

  @Test
  void registrationThatCompletesAfterStopIsFreed() throws Exception {
    assertNull(peer.take(null));
    Future<Void> receives = memory.reserveReceives(1);
    Future<ByteBuf> outgoing = peer.allocate(ZERO_COPY);
    memory.stop();
    register();
    assertEquals(0, fabric.registeredBytes());
    assertEquals(1, grown);
    assertTrue(receives.failed());
    assertTrue(outgoing.result().hasArray());
    assertNull(peer.take(null));
    memory.openIncoming();
    assertTrue(peer.allocate(ZERO_COPY).result().hasArray());
    assertEquals(0, asked.size());
  }

  @Test
  void zeroCopyMessageStaysValidAfterClose() throws Exception {
    Future<ByteBuf> allocated = peer.allocate(ZERO_COPY);
    register();
    ByteBuf message = allocated.result().writeLong(7);
    memory.stop();
    memory.close();
    assertEquals(0, fabric.registeredBytes());
    assertEquals(1, memory.zeroCopyTaken());
    assertEquals(7, message.readLong());
    message.release();
    assertEquals(0, memory.zeroCopyTaken());
  }

  @Test
  void leastRecentlyUsedPeerLosesItsMemory() throws Exception {
    List<ExposedMemory> peers = Stream.of("peer", "second", "third", "fourth").map(memory::peer).toList();
    for (ExposedMemory each : peers) {
      Future<ByteBuf> message = each.allocate(ZERO_COPY);
      register();
      message.result().release();
    }
    assertSame(peer, memory.peer("peer"));
    assertTrue(memory.peer("fifth").allocate(ZERO_COPY).result().hasArray());
    register();
    assertEquals(List.of(true, false, true, true), peers.stream().map(ExposedMemory::isRegistered).toList());
  }

  @Test
  void peerThatReadNothingLeavesWithoutBlockingWork() throws Exception {
    ExposedMemory.User user = new ExposedMemory.User() {
      @Override
      public boolean isUsing() {
        return false;
      }

      @Override
      public void withdrawn() {
      }
    };
    peer.join(user);
    peer.leave(user);
    assertTrue(asked.isEmpty());
    ExposedMemory again = memory.peer("peer");
    again.join(user);
    assertNull(again.take(null));
    again.leave(user);
    // Memory that is registered after the peer left is freed at once.
    register();
    assertEquals(0, fabric.registeredBytes());
  }
}
