package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Posts on one native endpoint, for connected and connectionless ones alike; fi_msg(3), fi_rma(3), fi_atomic(3). Everything is checked
 * before the call, since libfabric checks little. Confined to the polling thread; allocates nothing.
 */
final class Poster {
  /** Elements of a list that there is room for. */
  static final int MOST_ELEMENTS = 16;

  private static final int DESCRIPTORS = MOST_ELEMENTS * Structs.IOVEC;
  private static final int RMA = DESCRIPTORS + MOST_ELEMENTS * 8;
  private static final int MESSAGE = RMA + Structs.RMA_IOV;
  private static final int EXTRA = MESSAGE + 72;
  private static final int SCRATCH = EXTRA + 64;

  private final FabricDomain domain;
  private final KeyTableLock keyTable;
  private final FabricCompletionQueue queue;
  private final ContextSlab slab;
  private final Capabilities capabilities;
  private final Limits limits;
  private final boolean silently;
  private final int number;
  private final int inlineSize;
  private final int elements;
  private final long ep;
  private final long sendmsg;
  private final long writemsg;
  private final long readmsg;
  private final long fetch;
  private final long compare;
  private final long recv;
  private final long operandDescriptor;
  private final long areas = Memory.allocate(2 * SCRATCH);
  /** Where the next operation is described; the other area has the one that is held back. */
  private long scratch = areas;
  private long message = areas + MESSAGE;
  /** The last operation with {@link PostFlags#MORE}: whether it is the last of its batch is known with the next, or by flush. */
  private boolean holding;
  private long heldMessage;
  private long heldFunction;
  private long heldFlags;
  private int heldSlot;
  private SendWork heldWork;
  private boolean closed;

  /** @param number of its endpoint in {@link FabricCompletionQueue#tags}; 0 if many peers share it */
  Poster(FabricDomain domain, FabricCompletionQueue queue, Fid endpoint, int number, int inlineSize, int elements) {
    this.domain = domain;
    this.number = number;
    silently = domain.sendsSilently();
    keyTable = domain.keyTable();
    this.queue = queue;
    this.inlineSize = inlineSize;
    this.elements = elements;
    slab = queue.slab();
    capabilities = domain.capabilities();
    limits = domain.limits();
    ep = endpoint.address();
    sendmsg = endpoint.function(Structs.EP_MSG, Structs.MSG_SENDMSG);
    recv = endpoint.function(Structs.EP_MSG, Structs.MSG_RECV);
    writemsg = endpoint.function(Structs.EP_RMA, Structs.RMA_WRITEMSG);
    readmsg = endpoint.function(Structs.EP_RMA, Structs.RMA_READMSG);
    fetch = endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_READWRITEMSG);
    compare = endpoint.function(Structs.EP_ATOMIC, Structs.ATOMIC_COMPWRITEMSG);
    operandDescriptor = queue.operandDescriptor();
  }

  int inlineSize() {
    return inlineSize;
  }

  int send(SendWork work, long peer, long requestId, Operation operation, MemoryRegion region, long offset, int length, long immediate,
    int flags) {
    int status = check(work, sendmsg, operation, length, limits.maxMessageSize(), flags);
    if (status != Status.OK) {
      return status;
    }
    if (!element(0, region, offset, length)) {
      return Status.LOCAL_RANGE;
    }
    return message(work, peer, requestId, operation, 1, immediate, flags);
  }

  int send(SendWork work, long peer, long requestId, ScatterGather list, int flags) {
    int status = check(work, sendmsg, Operation.SEND, list.total(), limits.maxMessageSize(), flags);
    if (status == Status.OK) {
      status = gather(list);
    }
    return status != Status.OK ? status : message(work, peer, requestId, Operation.SEND, list.size(), 0, flags);
  }

  private int message(SendWork work, long peer, long requestId, Operation operation, int count, long immediate, int flags) {
    if (silently && PostFlags.silent(flags)) {
      return silent(work, peer, requestId, operation, count, immediate, flags);
    }
    int slot = acquire(work, requestId, operation, flags);
    if (slot < 0) {
      return Status.AGAIN;
    }
    head(count, peer);
    Memory.putLong(message + Structs.FI_MSG_CONTEXT, slab.context(slot));
    Memory.putLong(message + Structs.FI_MSG_DATA, immediate);
    return post(work, slot, sendmsg, operation, flags);
  }

  /**
   * A send whose bytes are copied, and of which nobody wants to hear: without a completion for the library to write, on shm under the lock
   * that the receiver waits for, and for us to read. An error brings the number in place of the context back.
   */
  private int silent(SendWork work, long peer, long requestId, Operation operation, int count, long immediate, int flags) {
    if (holding && postHeld(Fi.MORE) == Status.AGAIN) {
      return Status.AGAIN;
    }
    head(count, peer);
    Memory.putLong(message + Structs.FI_MSG_CONTEXT, FabricCompletionQueue.SILENT | (number == 0 ? requestId : number));
    Memory.putLong(message + Structs.FI_MSG_DATA, immediate);
    long n = Calls.size(sendmsg, ep, message, nativeFlags(operation, flags) & ~Fi.COMPLETION);
    if (n != 0) {
      return refused(work, n);
    }
    work.counters.succeeded(operation);
    return Status.OK;
  }

  int write(SendWork work, long peer, long requestId, Operation operation, MemoryRegion region, long offset, long length,
    RemoteMemory remote, long remoteOffset, long immediate, int flags) {
    int status = check(work, writemsg, operation, length, limits.maxTransferSize(), flags);
    if (status != Status.OK) {
      return status;
    }
    if (!element(0, region, offset, length)) {
      return Status.LOCAL_RANGE;
    }
    return transfer(work, peer, requestId, operation, writemsg, 1, remote, remoteOffset, length, immediate, flags);
  }

  int write(SendWork work, long peer, long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(work, writemsg, Operation.WRITE, list.total(), limits.maxTransferSize(), flags);
    if (status == Status.OK) {
      status = gather(list);
    }
    return status != Status.OK ? status
      : transfer(work, peer, requestId, Operation.WRITE, writemsg, list.size(), remote, remoteOffset, list.total(), 0, flags);
  }

  int read(SendWork work, long peer, long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote,
    long remoteOffset, int flags) {
    int status = check(work, readmsg, Operation.READ, length, limits.maxTransferSize(), flags & ~PostFlags.INLINE);
    if (status != Status.OK) {
      return status;
    }
    if (!element(0, region, offset, length) || !((FabricMemoryRegion) region).readSink) {
      return Status.LOCAL_RANGE;
    }
    return transfer(work, peer, requestId, Operation.READ, readmsg, 1, remote, remoteOffset, length, 0,
      flags & ~(PostFlags.INLINE | PostFlags.DELIVERY_COMPLETE));
  }

  private int transfer(SendWork work, long peer, long requestId, Operation operation, long function, int count, RemoteMemory remote,
    long remoteOffset, long length, long immediate, int flags) {
    if (!(remote instanceof FabricRemoteMemory to) || to.domain != domain || !to.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    int slot = acquire(work, requestId, operation, flags);
    if (slot < 0) {
      return Status.AGAIN;
    }
    if (!to.permits(operation, remoteOffset, length)) {
      queue.refused(slot);
      return Status.OK;
    }
    head(count, peer);
    Memory.putLong(scratch + RMA, to.address + remoteOffset);
    Memory.putLong(scratch + RMA + Structs.RMA_IOV_LEN, length);
    Memory.putLong(scratch + RMA + Structs.RMA_IOV_KEY, to.key);
    Memory.putLong(message + Structs.FI_RMA_IOV, scratch + RMA);
    Memory.putLong(message + Structs.FI_RMA_COUNT, 1);
    Memory.putLong(message + Structs.FI_RMA_CONTEXT, slab.context(slot));
    Memory.putLong(message + Structs.FI_RMA_DATA, immediate);
    return post(work, slot, function, operation, flags);
  }

  int atomic(SendWork work, long peer, long requestId, Operation operation, MemoryRegion result, long offset, RemoteMemory remote,
    long remoteOffset, long first, long second, int flags) {
    boolean swap = operation == Operation.COMPARE_SWAP;
    int status = check(work, swap ? compare : fetch, operation, Long.BYTES, Long.MAX_VALUE, flags & ~PostFlags.INLINE);
    if (status != Status.OK || (status = flush()) != Status.OK) {
      return status;
    }
    if (!(result instanceof FabricMemoryRegion into) || into.domain != domain || !into.covers(offset, Long.BYTES) || !into.readSink) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof FabricRemoteMemory at) || at.domain != domain || !at.covers(remoteOffset, Long.BYTES)
      || (at.address + remoteOffset & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    int slot = acquire(work, requestId, operation, flags);
    if (slot < 0) {
      return Status.AGAIN;
    }
    if (!at.permits(operation, remoteOffset, Long.BYTES)) {
      queue.refused(slot);
      return Status.OK;
    }
    long operands = slab.operands(slot);
    Memory.putLong(operands, swap ? second : first);
    Memory.putLong(operands + 8, first);
    ioc(scratch, operands);
    Memory.putLong(scratch + DESCRIPTORS, operandDescriptor);
    head(1, peer);
    Memory.putLong(scratch + RMA, at.address + remoteOffset);
    Memory.putLong(scratch + RMA + 8, 1);
    Memory.putLong(scratch + RMA + 16, at.key);
    Memory.putLong(message + Structs.FI_RMA_IOV, scratch + RMA);
    Memory.putLong(message + Structs.FI_RMA_COUNT, 1);
    Memory.putInt(message + Structs.FI_ATOMIC_DATATYPE, Fi.UINT64);
    Memory.putInt(message + Structs.FI_ATOMIC_OP, swap ? Fi.CSWAP : Fi.SUM);
    Memory.putLong(message + Structs.FI_ATOMIC_CONTEXT, slab.context(slot));
    long results = scratch + EXTRA;
    ioc(results, into.address + offset);
    Memory.putLong(results + 16, into.descriptor);
    if (!swap) {
      return done(work, slot, Calls.size(fetch, ep, message, results, results + 16, 1, Fi.COMPLETION));
    }
    long comparands = results + 24;
    ioc(comparands, operands + 8);
    Memory.putLong(comparands + 16, operandDescriptor);
    return done(work, slot,
      Calls.size(compare, ep, message, comparands, comparands + 16, 1, results, results + 16, 1, Fi.COMPLETION));
  }

  int receive(Work work, long requestId, MemoryRegion region, long offset, int length) {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    if (!(region instanceof FabricMemoryRegion into) || into.domain != domain || !into.covers(offset, length) || !into.localWrite) {
      return Status.LOCAL_RANGE;
    }
    int slot = slab.acquire(requestId, Operation.RECEIVE, work);
    if (slot < 0) {
      return Status.AGAIN;
    }
    work.posted();
    long n = receive(into, offset, length, slab.context(slot));
    if (n == 0) {
      return Status.OK;
    }
    work.returned();
    slab.release(slot);
    return refused(work, n);
  }

  /** fi_recv(3); what waited for it may come in at once. */
  private long receive(FabricMemoryRegion into, long offset, int length, long context) {
    keyTable.lock();
    try {
      return Calls.size(recv, ep, into.address + offset, length, into.descriptor, Fi.ADDR_UNSPEC, context);
    } finally {
      keyTable.unlock();
    }
  }

  /** What every post but a receive asks first. */
  private int check(SendWork work, long function, Operation operation, long length, long most, int flags) {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    if (function == 0 || !capabilities.can(operation)
      || (flags & PostFlags.DELIVERY_COMPLETE) != 0 && !capabilities.deliveryComplete()) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (length > most || (flags & PostFlags.INLINE) != 0 && length > inlineSize) {
      return Status.LIMIT;
    }
    // There is no fence that all providers have; waiting for reads is what it is for.
    return !work.hasRoom() || (flags & PostFlags.FENCE) != 0 && work.reads > 0 ? Status.AGAIN : Status.OK;
  }

  private boolean element(int i, MemoryRegion region, long offset, long length) {
    if (!(region instanceof FabricMemoryRegion from) || from.domain != domain || !from.covers(offset, length)) {
      return false;
    }
    long iov = scratch + (long) i * Structs.IOVEC;
    Memory.putLong(iov, from.address + offset);
    Memory.putLong(iov + Structs.IOVEC_LEN, length);
    Memory.putLong(scratch + DESCRIPTORS + i * 8L, from.descriptor);
    return true;
  }

  private int gather(ScatterGather list) {
    if (list.size() > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!element(i, list.region(i), list.offset(i), list.length(i))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private static void ioc(long at, long address) {
    Memory.putLong(at, address);
    Memory.putLong(at + 8, 1);
  }

  private void head(int count, long peer) {
    Memory.putLong(message + Structs.FI_MSG_IOV, scratch);
    Memory.putLong(message + Structs.FI_MSG_DESC, scratch + DESCRIPTORS);
    Memory.putLong(message + Structs.FI_MSG_COUNT, count);
    Memory.putLong(message + Structs.FI_MSG_ADDR, peer);
  }

  private static long nativeFlags(Operation operation, int flags) {
    long result = Fi.COMPLETION;
    if ((flags & PostFlags.INLINE) != 0) {
      result |= Fi.INJECT;
    }
    if ((flags & PostFlags.DELIVERY_COMPLETE) != 0) {
      result |= Fi.DELIVERY_COMPLETE;
    }
    if (operation == Operation.SEND_IMMEDIATE || operation == Operation.WRITE_IMMEDIATE) {
      result |= Fi.REMOTE_CQ_DATA;
    }
    return result;
  }

  private int acquire(SendWork work, long requestId, Operation operation, int flags) {
    int slot = slab.acquire(requestId, operation, work);
    if (slot >= 0) {
      boolean signalled = (flags & PostFlags.SIGNALED) != 0;
      slab.signalled[slot] = signalled;
      slab.sequences[slot] = work.posted(signalled, reads(operation));
    }
    return slot;
  }

  private static boolean reads(Operation operation) {
    return operation == Operation.READ || operation == Operation.FETCH_ADD || operation == Operation.COMPARE_SWAP;
  }

  /** Posts what is described, or holds it back; what was held back before goes first, and FI_MORE tells of this one. */
  private int post(SendWork work, int slot, long function, Operation operation, int flags) {
    if (holding && postHeld(Fi.MORE) == Status.AGAIN) {
      withdraw(work, slot);
      return Status.AGAIN;
    }
    // Inline data has to be copied before the call returns, and only the library has room for it.
    if ((flags & (PostFlags.MORE | PostFlags.INLINE)) != PostFlags.MORE) {
      return done(work, slot, Calls.size(function, ep, message, nativeFlags(operation, flags)));
    }
    holding = true;
    heldWork = work;
    heldSlot = slot;
    heldFunction = function;
    heldFlags = nativeFlags(operation, flags);
    heldMessage = message;
    scratch = scratch == areas ? areas + SCRATCH : areas;
    message = scratch + MESSAGE;
    queue.holdsBack(this);
    if (ContextSlab.oneSided(operation)) {
      queue.oneSidedPosted();
    }
    return Status.OK;
  }

  /** Posts what is held back. @return {@link Status#OK}, {@link Status#AGAIN} or {@link Status#NOT_CONNECTED} */
  int flush() {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    return holding ? postHeld(0) : Status.OK;
  }

  boolean isHolding() {
    return holding && !closed;
  }

  private int postHeld(long more) {
    long n = Calls.size(heldFunction, ep, heldMessage, heldFlags | more);
    if (n != 0 && FabricErrors.postStatus((int) n) == Status.AGAIN) {
      return Status.AGAIN;
    }
    holding = false;
    if (n != 0) {
      // It was taken, so its completion has to tell.
      heldWork.failure = (int) n;
      queue.flushed(heldSlot);
    }
    return Status.OK;
  }

  private int done(SendWork work, int slot, long n) {
    if (n == 0) {
      if (ContextSlab.oneSided(slab.operations[slot])) {
        queue.oneSidedPosted();
      }
      return Status.OK;
    }
    withdraw(work, slot);
    return refused(work, n);
  }

  private void withdraw(SendWork work, int slot) {
    Operation operation = slab.operations[slot];
    work.returned(reads(operation));
    if (!slab.signalled[slot]) {
      work.uncovered(slab.sequences[slot]);
    }
    slab.release(slot);
  }

  private static int refused(Work work, long n) {
    int status = FabricErrors.postStatus((int) n);
    if (status != Status.AGAIN) {
      work.failure = (int) n;
      work.counters.add(Counter.Event.ERRORS);
    }
    return status;
  }

  /** Posts nothing any more. */
  void close() {
    if (!closed) {
      closed = true;
      Memory.free(areas);
    }
  }
}
