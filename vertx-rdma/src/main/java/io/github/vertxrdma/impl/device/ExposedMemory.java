package io.github.vertxrdma.impl.device;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** Memory of a loop that one peer node may read. Peers share no slab, because a remote key grants access to a whole slab. */
public final class ExposedMemory {
  private static final int SLAB = 2;
  private static final int MAX_SLOTS = 64;
  /** Number of the slab of {@link #outgoing}. Smaller numbers mean slabs of slots. */
  public static final int OUTGOING_SLAB = MAX_SLOTS / SLAB;

  /** Link that has sent keys of slabs to its peer. */
  public interface User {
    /** Returns whether the peer reads from the slabs, or a key is being sent. */
    boolean isUsing();

    /** Called before the slabs are deregistered, so that the peer must forget their keys. Not called while {@link #isUsing}. */
    void withdrawn();
  }

  private final LoopMemory memory;
  private final LoopOptions options;
  private final List<User> users = new ArrayList<>(1);
  SlotPool<RendezvousSlot> slots;
  /** Memory of messages of the application. */
  RegisteredBufferPool outgoing;

  ExposedMemory(LoopMemory memory, LoopOptions options) {
    this.memory = memory;
    this.options = options;
    renew();
  }

  private void renew() {
    // Without request ids, because no requests are posted with these slots.
    slots = new SlotPool<>(null, options.fragmentSize(), MAX_SLOTS, RendezvousSlot::new);
    outgoing = new RegisteredBufferPool(options.zeroCopyBytes());
  }

  public void join(User user) {
    users.add(user);
  }

  public void leave(User user) {
    users.remove(user);
    memory.removeUnused(this);
  }

  /** Returns registered memory for a message to the peer, or heap memory if the size is unsuitable or no memory is free. */
  public Future<ByteBuf> allocate(int size) {
    if (size <= options.bufferSize() || size > options.zeroCopyBytes()) {
      return Future.succeededFuture(Unpooled.buffer(size, size));
    }
    return memory.openOutgoing(this).map(v -> {
      RegisteredBuffer buffer = outgoing.take(size);
      return buffer == null ? Unpooled.buffer(size, size) : buffer.clear();
    });
  }

  public RendezvousSlot take(LoopEndpoint requester) {
    RendezvousSlot slot = slots.take();
    if (slot == null) {
      memory.grow(this, SLAB, requester);
    }
    return slot;
  }

  /** Returns why no slot can be created, or null if the link may wait for one. */
  public Throwable refusal() {
    return memory.refusal(slots);
  }

  public void release(RendezvousSlot slot) {
    slots.release(slot);
  }

  public boolean holds(RegisteredBuffer buffer) {
    return buffer.pool() == outgoing;
  }

  boolean isUsed() {
    return !users.isEmpty();
  }

  boolean isRegistered() {
    return slots.total() > 0 || outgoing.isOpen();
  }

  boolean isIdle() {
    return isRegistered() && slots.inUse() == 0 && outgoing.taken() == 0
      && users.stream().noneMatch(User::isUsing);
  }

  /** Replaces all slabs by empty pools. Returns a blocking task that closes the removed slabs. */
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

  /** Blocks if {@link #isRegistered}. */
  void close() {
    slots.close();
    outgoing.close();
  }
}
