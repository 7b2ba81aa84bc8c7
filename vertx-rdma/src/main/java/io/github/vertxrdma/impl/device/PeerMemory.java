package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBufferPool;
import io.github.vertxrdma.impl.memory.SlotPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory of a loop that one peer node may read, and no other: a remote key opens a whole slab, so a slab holds nothing that is meant for
 * somebody else. Shared by the loop's links to that node; confined to the loop.
 */
public final class PeerMemory {
  /** Slots of a slab. */
  private static final int SLAB = 2;
  /** Slots of one peer. */
  private static final int MOST = 64;
  /** Number of the slab of {@link #outgoing}, behind those of the slots. */
  public static final int OUTGOING_SLAB = MOST / SLAB;

  /** Link that has told its peer of slabs. */
  public interface User {
    /** Tells whether its peer reads from the slabs, or is being told of one. */
    boolean isUsing();

    /** The slabs are about to be deregistered: the peer is to forget them. Called while nobody {@link #isUsing}. */
    void withdrawn();
  }

  private final LoopMemory memory;
  private final LoopOptions options;
  private final List<User> users = new ArrayList<>(1);
  private SlotPool<RendezvousSlot> slots;
  /** Messages that the application makes in registered memory. */
  private RegisteredBufferPool outgoing;

  PeerMemory(LoopMemory memory, LoopOptions options) {
    this.memory = memory;
    this.options = options;
    renew();
  }

  private void renew() {
    // Slots that peers read are no requests of this side.
    slots = new SlotPool<>(null, options.fragmentSize(), MOST, RendezvousSlot::new);
    outgoing = new RegisteredBufferPool(options.zeroCopyBytes());
  }

  /** Registers a link to the peer. */
  public void join(User user) {
    users.add(user);
  }

  /** Removes a link: its endpoint is gone, and nothing of the memory is kept for it. */
  public void leave(User user) {
    users.remove(user);
    memory.left(this);
  }

  /** Memory for a message of so many bytes to the peer: registered, or of the heap if it is short or there is no room. */
  public Future<ByteBuf> allocate(int size) {
    if (size <= options.bufferSize() || size > options.zeroCopyBytes()) {
      return Future.succeededFuture(Unpooled.buffer(size, size));
    }
    return memory.openOutgoing(this).map(v -> {
      RegisteredBuffer buffer = outgoing.take(size);
      return buffer == null ? Unpooled.buffer(size, size) : buffer.clear();
    });
  }

  /** A free slot; null if there is none now. */
  public RendezvousSlot take(LoopEndpoint asker) {
    RendezvousSlot slot = slots.take();
    if (slot == null) {
      memory.grow(this, SLAB, asker);
    }
    return slot;
  }

  /** Tells why there will be no slot, to who has found none; null if he may wait. */
  public Throwable refusal() {
    return memory.refusal(slots);
  }

  public void release(RendezvousSlot slot) {
    slots.release(slot);
  }

  /** Bytes of a slot. */
  public int slotSize() {
    return slots.slotSize();
  }

  /** Tells whether a message lies in memory that this peer may read. */
  public boolean holds(RegisteredBuffer buffer) {
    return buffer.pool() == outgoing;
  }

  SlotPool<RendezvousSlot> slots() {
    return slots;
  }

  RegisteredBufferPool outgoing() {
    return outgoing;
  }

  boolean isUsed() {
    return !users.isEmpty();
  }

  /** Tells whether it has slabs, which it blocks to close. */
  boolean isRegistered() {
    return slots.total() > 0 || outgoing.isOpen();
  }

  /** Tells whether it has slabs and nothing of them is in use. */
  boolean isIdle() {
    return isRegistered() && slots.inUse() == 0 && outgoing.taken() == 0
      && users.stream().noneMatch(User::isUsing);
  }

  /** Takes its slabs out, for others to have room. @return closes them; blocks */
  Runnable withdraw() {
    users.forEach(User::withdrawn);
    SlotPool<RendezvousSlot> oldSlots = slots;
    RegisteredBufferPool oldOutgoing = outgoing;
    renew();
    return () -> {
      oldSlots.close();
      oldOutgoing.close();
    };
  }

  /** Blocks if it {@link #isRegistered}. */
  void close() {
    slots.close();
    outgoing.close();
  }
}
