package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.memory.LentMemory;
import io.github.vertxrdma.impl.memory.Requests;
import io.github.vertxrdma.impl.memory.SlotPool.Slab;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the memory of a loop grows, within which bounds, and what becomes of it. The test is the loop, and registers what is asked for. */
@Timeout(20)
class LoopMemoryTest {
  private static final int BUFFER = 512;
  private static final int FRAGMENT = 4096;
  /** Slots of a slab for parts of messages. */
  private static final int SLAB = LoopMemory.FRAGMENT_MAX / LoopMemory.OUTGOING_SLAB;
  private static final int LENDING = 16 * 4096;

  private record Registration(Callable<Slab> call, Promise<Slab> promise) {
  }

  private final InMemoryFabric fabric = InMemoryFabric.create("loop", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final Domain domain = fabric.device().open();
  /** What was asked for and is not registered yet. */
  private final ArrayDeque<Registration> asked = new ArrayDeque<>();
  /** What was told of growth. */
  private final List<Throwable> grown = new ArrayList<>();
  private final LoopMemory memory = memory(LENDING);

  private LoopMemory memory(int lendingBytes) {
    LinkOptions d = LinkOptions.DEFAULT;
    LinkOptions options = new LinkOptions(BUFFER, d.dataCredits(), d.controlCredits(), FRAGMENT, d.maxMessageSize(), d.closeTimeoutMillis(),
      d.suspectMillis(), d.deadMillis(), d.notifyInlineLimit(), lendingBytes);
    return new LoopMemory(domain, options, new Requests(), registration -> {
      Promise<Slab> promise = Promise.promise();
      asked.add(new Registration(registration, promise));
      return promise.future();
    }, grown::add);
  }

  @AfterEach
  void itLeavesNothing() throws Exception {
    memory.stop();
    register();
    memory.close();
    assertEquals(0, fabric.registeredBytes());
    domain.close();
  }

  /** All that was asked for. */
  private void register() throws Exception {
    for (Registration next = asked.poll(); next != null; next = asked.poll()) {
      next.promise.complete(next.call.call());
    }
  }

  private void refuse(Throwable cause) {
    for (Registration next = asked.poll(); next != null; next = asked.poll()) {
      next.promise.fail(cause);
    }
  }

  /** Takes what there is and what comes, until no more is asked for. */
  private List<StagingSlot> takeAll() throws Exception {
    List<StagingSlot> taken = new ArrayList<>();
    do {
      register();
      for (StagingSlot slot = memory.takeStaging(); slot != null; slot = memory.takeStaging()) {
        taken.add(slot);
      }
    } while (!asked.isEmpty());
    return taken;
  }

  private void release(List<StagingSlot> slots) {
    slots.forEach(memory.stagingSlots::release);
  }

  @Test
  void itGrowsWhenNoSlotIsLeftUpToABound() throws Exception {
    assertNull(memory.takeStaging());
    register();
    assertEquals(SLAB * FRAGMENT, fabric.registeredBytes());
    assertEquals(fabric.registeredBytes(), memory.size());
    List<StagingSlot> taken = takeAll();
    assertEquals(LoopMemory.FRAGMENT_MAX, new HashSet<>(taken).size());
    assertEquals(LoopMemory.FRAGMENT_MAX * FRAGMENT, fabric.registeredBytes());
    assertEquals(fabric.registeredBytes(), memory.size());
    for (Throwable failure : grown) {
      assertNull(failure);
    }
    release(taken.subList(0, 3));
    assertEquals(new HashSet<>(taken.subList(0, 3)), new HashSet<>(takeAll()));
  }

  @Test
  void manyWhoFindNoneMakeItGrowOnce() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertNull(memory.takeStaging());
      assertNull(memory.takeSource());
      assertNull(memory.takeSend(null));
    }
    assertEquals(3, asked.size());
    register();
    assertEquals(3, grown.size());
    assertNotNull(memory.takeStaging());
    assertNotNull(memory.takeSource());
    assertNotNull(memory.takeSend(null));
  }

  /** The fabric may keep slots of links that are over for as long as its endpoint is open. */
  @Test
  void whatIsInQuarantineLeavesRoomForOthers() throws Exception {
    List<StagingSlot> all = takeAll();
    List<StagingSlot> held = all.subList(0, 2 * SLAB);
    for (int i = 0; i < 2; i++) {
      // Twice is once.
      held.forEach(memory.stagingSlots::quarantine);
    }
    assertEquals(2 * SLAB, takeAll().size());
    release(held);
    assertFalse(memory.stagingSlots.canGrow(1));
    assertEquals(new HashSet<>(held), new HashSet<>(takeAll()));
    // They are like all others now.
    all.subList(0, 4 * SLAB).forEach(memory.stagingSlots::quarantine);
    assertEquals(2 * SLAB, takeAll().size());
    assertEquals(LoopMemory.FRAGMENT_MAX + 4 * SLAB, memory.stagingSlots.inUse());
  }

  @Test
  void whereThereAreNoneAtAllLinksHearOfIt() {
    RdmaException cause = new RdmaException(Reason.LIMIT, "no more");
    for (int i = 1; i < 3; i++) {
      assertNull(memory.takeSource());
      refuse(cause);
      // And who wants some then asks the device again.
      assertEquals(i, grown.size());
      assertSame(cause, grown.getLast());
    }
  }

  @Test
  void whereSomeAreInUseTheyServe() throws Exception {
    assertNull(memory.takeSource());
    register();
    List<SourceSlot> taken = new ArrayList<>();
    for (SourceSlot slot = memory.takeSource(); slot != null; slot = memory.takeSource()) {
      taken.add(slot);
    }
    refuse(new RdmaException(Reason.LIMIT, "no more"));
    assertEquals(2, grown.size());
    assertNull(grown.getLast());
    memory.sourceSlots.release(taken.getFirst());
    assertSame(taken.getFirst(), memory.takeSource());
  }

  @Test
  void receivesAreSetAsideOrRefused() throws Exception {
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
    assertTrue(tooMany.cause().getMessage().contains("on loop: " + memory.receiveSlots.total()), tooMany.cause().getMessage());
    Future<Void> refused = memory.reserveReceives(1);
    RdmaException cause = new RdmaException(Reason.LIMIT, "no more");
    refuse(cause);
    assertSame(cause, refused.cause());
  }

  @Test
  void largeMessagesLieInOneSlab() throws Exception {
    assertTrue(memory.lendOutgoing(BUFFER).result().hasArray());
    assertTrue(memory.lendOutgoing(LENDING + 1).result().hasArray());
    assertEquals(0, asked.size());
    Future<ByteBuf> one = memory.lendOutgoing(BUFFER + 1);
    Future<ByteBuf> other = memory.lendOutgoing(LENDING - 4096);
    assertEquals(1, asked.size());
    register();
    assertInstanceOf(LentMemory.class, one.result());
    assertInstanceOf(LentMemory.class, other.result());
    assertEquals(0, other.result().readableBytes());
    assertEquals(2, memory.lent());
    assertTrue(memory.lendOutgoing(BUFFER + 1).result().hasArray());
    one.result().release();
    other.result().release();
    assertEquals(0, memory.lent());
    memory.lendOutgoing(LENDING).result().release();
    assertEquals(0, asked.size());
    assertEquals(LENDING, fabric.registeredBytes());
    assertEquals(LENDING, memory.size());
  }

  @Test
  void whatIsReceivedIsLentOnceItsMemoryIsThere() throws Exception {
    assertNull(memory.incoming.lend(BUFFER));
    memory.lendIncoming();
    memory.lendIncoming();
    assertEquals(1, asked.size());
    register();
    memory.lendIncoming();
    assertEquals(0, asked.size());
    LentMemory lent = memory.incoming.lend(BUFFER);
    assertEquals(1, memory.lent());
    lent.release();
  }

  @Test
  void whereThereIsNoneToLendTheHeapServes() {
    Future<ByteBuf> message = memory.lendOutgoing(LENDING);
    refuse(new RdmaException(Reason.LIMIT, "no more"));
    assertTrue(message.result().hasArray());
    assertEquals(LENDING, message.result().writableBytes());
    assertTrue(memory.lendOutgoing(LENDING).result().hasArray());
    assertEquals(0, asked.size());
  }

  @Test
  void whoWantsNothingLentRegistersNothing() {
    LoopMemory none = memory(0);
    none.lendIncoming();
    assertTrue(none.lendOutgoing(LENDING).result().hasArray());
    assertEquals(0, asked.size());
  }

  @Test
  void whatComesAfterItsEndIsFreed() throws Exception {
    assertNull(memory.takeSource());
    Future<Void> receives = memory.reserveReceives(1);
    Future<ByteBuf> outgoing = memory.lendOutgoing(LENDING);
    memory.stop();
    register();
    assertEquals(0, fabric.registeredBytes());
    assertNotNull(grown.getFirst());
    assertTrue(receives.failed());
    assertTrue(outgoing.result().hasArray());
    assertNull(memory.takeSource());
    memory.lendIncoming();
    assertTrue(memory.lendOutgoing(LENDING).result().hasArray());
    assertEquals(0, asked.size());
  }

  @Test
  void whatIsLentOutlivesIt() throws Exception {
    Future<ByteBuf> lent = memory.lendOutgoing(LENDING);
    register();
    ByteBuf message = lent.result().writeLong(7);
    memory.stop();
    memory.close();
    assertEquals(0, fabric.registeredBytes());
    assertEquals(1, memory.lent());
    assertEquals(7, message.readLong());
    message.release();
    assertEquals(0, memory.lent());
  }
}
