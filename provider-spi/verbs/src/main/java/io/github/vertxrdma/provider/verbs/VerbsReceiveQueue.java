package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;

/** Receives of one queue pair, or an ibv_srq that several share; ibv_create_srq(3). */
final class VerbsReceiveQueue implements ReceiveQueue, Owners.Owner {
  private final VerbsDomain domain;
  private final VerbsCompletionQueue queue;
  private final VerbsEndpoint endpoint;
  private final ReceiveSlots slots;
  private VerbsQueue room;
  private long pointer;
  private int tag;
  private boolean lost;
  private boolean closed;

  VerbsReceiveQueue(VerbsEndpoint endpoint, int depth) {
    this.endpoint = endpoint;
    domain = endpoint.domain();
    queue = endpoint.queue();
    slots = new ReceiveSlots(domain, depth);
    room = null;
  }

  VerbsReceiveQueue(VerbsDomain domain, VerbsCompletionQueue queue, int depth) {
    this.domain = domain;
    this.queue = queue;
    endpoint = null;
    int wanted = Math.clamp(depth, 1, domain.limits().receiveDepth());
    room = queue.reserve(wanted);
    long init = Memory.allocate(SRQ_INIT_ROOM);
    try {
      Memory.putInt(init + SRQ_INIT_WRS, wanted);
      Memory.putInt(init + SRQ_INIT_SGES, 1);
      pointer = Calls.pointer(domain.verbs().createSrq, domain.protectionDomain(), init);
      if (pointer == 0) {
        int errno = Errno.last();
        room.release(wanted);
        throw new ProviderException(ProviderException.Reason.LIMIT, errno, "cannot create a shared receive queue of "
          + wanted + " receives on " + domain.device().name() + ": " + Errno.describe(errno));
      }
      NativeObjects.made(NativeObjects.Kind.SHARED_RECEIVE_QUEUE);
    } finally {
      Memory.free(init);
    }
    slots = new ReceiveSlots(domain, wanted);
    tag = queue.owners().add(this);
    queue.adopt(this);
  }

  /**
   * Returns the shared receive queue of endpoint options, or null.
   *
   * @throws ProviderException {@code INVALID} if it is closed or lost, or belongs to another completion queue
   */
  static VerbsReceiveQueue shared(ReceiveQueue given, VerbsCompletionQueue queue) {
    if (given == null) {
      return null;
    }
    if (given instanceof VerbsReceiveQueue shared && shared.shared() && shared.queue == queue) {
      if (shared.closed) {
        throw new ProviderException(ProviderException.Reason.INVALID, "the shared receive queue in the endpoint's options is closed "
          + "on " + shared.domain.device().name() + ". Create another one");
      }
      if (shared.lost) {
        throw new ProviderException(ProviderException.Reason.INVALID, "the shared receive queue in the endpoint's options failed on "
          + shared.domain.device().name() + " (IBV_EVENT_" + AsyncEvent.SRQ_ERR + "). Create another one");
      }
      return shared;
    }
    throw new ProviderException(ProviderException.Reason.INVALID,
      "the receive queue in the endpoint's options is not a shared receive queue of this completion queue");
  }

  long pointer() {
    return pointer;
  }

  void lose() {
    lost = true;
  }

  /** Returns the completion queue with reserved entries for the receives. Reserves them in another queue if that one has failed. */
  VerbsQueue room() {
    if (room.isLost()) {
      VerbsQueue other = queue.reserve(slots.capacity());
      room.release(slots.capacity());
      room = other;
    }
    return room;
  }

  @Override
  public int tag() {
    return endpoint != null ? endpoint.tag() : tag;
  }

  @Override
  public int capacity() {
    return slots.capacity();
  }

  @Override
  public boolean shared() {
    return endpoint == null;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (endpoint == null) {
      return closed || lost ? Status.NOT_CONNECTED
        : slots.post(domain.postSharedReceive(), pointer, tag, requestId, region, offset, length);
    }
    return endpoint.state() == EndpointState.BROKEN || endpoint.state() == EndpointState.CLOSED ? Status.NOT_CONNECTED
      : slots.post(domain.postReceive(), endpoint.queuePair(), endpoint.tag(), requestId, region, offset, length);
  }

  void completed(int slot, long wc, int status, CompletionBatch batch) {
    if (!slots.isPosted(slot)) {
      return;
    }
    VerbsEndpoint from = endpoint != null ? endpoint : queue.endpoint(Memory.getInt(wc + WC_QP_NUM));
    if (status == 0 && from != null && from.isMoving()) {
      from.hold(wc);
      return;
    }
    long requestId = slots.take(slot);
    if (from != null) {
      from.received(requestId, wc, status, batch);
    } else if (!closed) {
      // The queue pair was destroyed before its completion was read. The user may post the receive again.
      CompletionReader.receiveFailed(null, requestId, wc, WorkStatus.REM_ABORT_ERR.ordinal(), batch);
    }
  }

  int posted() {
    return slots.posted();
  }

  void flushForgotten() {
    for (int slot = 0; slot < slots.capacity(); slot++) {
      if (slots.isPosted(slot)) {
        queue.synthesizeReceive(endpoint, slots.take(slot), WorkStatus.WR_FLUSH_ERR.words);
      }
    }
  }

  void endpointClosed() {
    if (endpoint != null) {
      slots.close();
    }
  }

  @Override
  public void close() {
    if (endpoint != null || closed) {
      return;
    }
    queue.draining().destroyAll();
    // Queue pairs of closed endpoints may refer to the queue until they are destroyed.
    boolean later = domain.control().busy();
    int errno = queue.isUsed(this) ? Errno.EBUSY : later ? 0 : destroy();
    if (errno != 0) {
      throw new ProviderException(ProviderException.Reason.INVALID, errno, "a shared receive queue of " + domain.device().name()
        + " could not be closed: " + Errno.describe(errno) + ". Close the endpoints that use it first");
    }
    closed = true;
    queue.owners().remove(tag);
    queue.forget(this);
    for (int slot = 0; slot < slots.capacity(); slot++) {
      if (slots.isPosted(slot)) {
        queue.synthesizeReceive(null, slots.take(slot), "the shared receive queue was closed");
      }
    }
    room.release(slots.capacity());
    if (later) {
      domain.control().later(() -> {
        destroy();
        slots.close();
      });
    } else {
      slots.close();
    }
  }

  private int destroy() {
    int errno = Math.abs(Calls.number(domain.verbs().destroySrq, pointer));
    if (errno == 0) {
      NativeObjects.destroyed(NativeObjects.Kind.SHARED_RECEIVE_QUEUE);
    }
    return errno;
  }
}
