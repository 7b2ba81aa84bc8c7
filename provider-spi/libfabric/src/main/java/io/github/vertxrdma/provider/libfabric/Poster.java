package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/**
 * Posts operations on one native endpoint; fi_msg(3), fi_rma(3), fi_atomic(3). Checks each operation, because libfabric checks little.
 * Confined to the polling thread.
 */
final class Poster {
  static final int MOST_ELEMENTS = 16;

  private static final int DESCRIPTORS = MOST_ELEMENTS * Structs.IOVEC;
  private static final int RMA = DESCRIPTORS + MOST_ELEMENTS * 8;
  private static final int MESSAGE = RMA + Structs.RMA_IOV;
  private static final int EXTRA = MESSAGE + 72;
  private static final int SCRATCH = EXTRA + 64;

  private final FabricDomain domain;
  private final FabricCompletionQueue queue;
  private final ContextSlab slab;
  private final Capabilities capabilities;
  private final long maxMessage;
  private final long maxTransfer;
  private final boolean silently;
  private final long number;
  final int inlineSize;
  private final int elements;
  private final long ep;
  private final MemorySegment[] functions;
  private final MemorySegment recv;
  private final long operandDescriptor;
  /** Memory that describes the next operation. */
  private final long scratch = Memory.allocate(SCRATCH);
  private final long message = scratch + MESSAGE;
  /** Memory for copies of inline bytes from mapped files, or 0. */
  private long copy;
  private int copyUsed;
  private boolean closed;

  Poster(FabricDomain domain, FabricCompletionQueue queue, Fid endpoint, long number, int inlineSize, int elements) {
    this.domain = domain;
    this.number = number;
    silently = domain.sendsSilently();
    this.queue = queue;
    this.inlineSize = inlineSize;
    this.elements = elements;
    slab = queue.slab;
    capabilities = domain.capabilities();
    maxMessage = domain.limits().maxMessageSize();
    maxTransfer = domain.limits().maxTransferSize();
    ep = endpoint.address();
    functions = functions(endpoint);
    recv = functions[Operation.RECEIVE.ordinal()];
    operandDescriptor = queue.operandDescriptor();
  }

  private MemorySegment[] functions(Fid endpoint) {
    MemorySegment[] found = new MemorySegment[Operation.values().length];
    function(found, endpoint, Structs.EP_MSG, Structs.MSG_SENDMSG, Operation.SEND);
    function(found, endpoint, Structs.EP_RMA, Structs.RMA_WRITEMSG, Operation.WRITE);
    function(found, endpoint, Structs.EP_RMA, Structs.RMA_READMSG, Operation.READ);
    function(found, endpoint, Structs.EP_ATOMIC, Structs.ATOMIC_READWRITEMSG, Operation.FETCH_ADD);
    function(found, endpoint, Structs.EP_ATOMIC, Structs.ATOMIC_COMPWRITEMSG, Operation.COMPARE_SWAP);
    found[Operation.RECEIVE.ordinal()] = MemorySegment.ofAddress(endpoint.function(Structs.EP_MSG, Structs.MSG_RECV));
    return found;
  }

  private void function(MemorySegment[] found, Fid endpoint, int table, int place, Operation operation) {
    MemorySegment function = MemorySegment.ofAddress(endpoint.function(table, place));
    found[operation.ordinal()] = capabilities.can(operation) && function.address() != 0 ? function : null;
  }

  /** Posts an operation. {@code peer} is an fi_addr_t, or 0 on connected endpoints. */
  int post(PostOwner work, long peer, WorkRequest request) {
    Operation operation = request.operation();
    MemorySegment function = functions[operation.ordinal()];
    // A read has no data to copy when it is posted, so INLINE has no meaning.
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    int status = check(work, function, request.length(), operation.isOneSided() ? maxTransfer : maxMessage, flags);
    if (status == Status.OK) {
      status = describe(request, peer, (flags & PostFlags.INLINE) != 0);
    }
    if (status != Status.OK) {
      return status;
    }
    return switch (operation) {
      case WRITE, READ -> transfer(work, function, request, flags);
      case FETCH_ADD, COMPARE_SWAP -> atomic(work, function, request);
      default -> send(work, function, request, flags);
    };
  }

  private int send(PostOwner work, MemorySegment function, WorkRequest request, int flags) {
    if (silently && PostFlags.silent(flags)) {
      return silent(work, function, request, flags);
    }
    int slot = acquire(work, request);
    if (slot < 0) {
      return Status.AGAIN;
    }
    Memory.putLong(message + Structs.FI_MSG_CONTEXT, slab.context(slot));
    return done(work, slot, Calls.plain(function, ep, message, nativeFlags(flags)));
  }

  /** Posts a send without a completion. Its context is a number, which an error entry returns. */
  private int silent(PostOwner work, MemorySegment function, WorkRequest request, int flags) {
    Memory.putLong(message + Structs.FI_MSG_CONTEXT, FabricCompletionQueue.SILENT | (number == 0 ? request.id() : number));
    long n = Calls.plain(function, ep, message, nativeFlags(flags) & ~Fi.COMPLETION);
    return n == 0 ? Status.OK : refused(work, n);
  }

  private int transfer(PostOwner work, MemorySegment function, WorkRequest request, int flags) {
    boolean read = request.operation().isRead();
    if (read && !((FabricMemoryRegion) request.region()).readSink) {
      return Status.LOCAL_RANGE;
    }
    long remoteOffset = request.remoteOffset();
    long length = request.length();
    if (!(request.remote() instanceof FabricRemoteMemory to) || to.domain != domain || !to.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    int slot = acquire(work, request);
    if (slot < 0) {
      return Status.AGAIN;
    }
    describe(to.address + remoteOffset, length, to.key);
    Memory.putLong(message + Structs.FI_RMA_CONTEXT, slab.context(slot));
    return done(work, slot, Calls.plain(function, ep, message, nativeFlags(read ? flags & ~PostFlags.DELIVERY_COMPLETE : flags)));
  }

  private int atomic(PostOwner work, MemorySegment function, WorkRequest request) {
    FabricMemoryRegion into = (FabricMemoryRegion) request.region();
    if (!into.readSink) {
      return Status.LOCAL_RANGE;
    }
    long remoteOffset = request.remoteOffset();
    if (!(request.remote() instanceof FabricRemoteMemory at) || at.domain != domain || !at.covers(remoteOffset, Long.BYTES)
      || (at.address + remoteOffset & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    int slot = acquire(work, request);
    if (slot < 0) {
      return Status.AGAIN;
    }
    Operation operation = request.operation();
    boolean swap = operation == Operation.COMPARE_SWAP;
    long operands = slab.operands(slot);
    Memory.putLong(operands, swap ? request.swap() : request.operand());
    Memory.putLong(operands + 8, request.operand());
    ioc(scratch, operands);
    Memory.putLong(scratch + DESCRIPTORS, operandDescriptor);
    describe(at.address + remoteOffset, 1, at.key);
    Memory.putInt(message + Structs.FI_ATOMIC_DATATYPE, Fi.UINT64);
    Memory.putInt(message + Structs.FI_ATOMIC_OP, swap ? Fi.CSWAP : Fi.SUM);
    Memory.putLong(message + Structs.FI_ATOMIC_CONTEXT, slab.context(slot));
    long results = scratch + EXTRA;
    ioc(results, into.address + request.offset());
    Memory.putLong(results + 16, into.descriptor);
    if (!swap) {
      return done(work, slot, Calls.plain(function, ep, message, results, results + 16, 1, Fi.COMPLETION));
    }
    long comparands = results + 24;
    ioc(comparands, operands + 8);
    Memory.putLong(comparands + 16, operandDescriptor);
    return done(work, slot,
      Libfabric.call(function, ep, message, comparands, comparands + 16, 1, results, results + 16, 1, Fi.COMPLETION));
  }

  int receive(PostOwner work, long requestId, MemoryRegion region, long offset, int length) {
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
    work.posted(true, false);
    // The slot is acquired before the call, because a message may arrive during the call.
    long n = Calls.plain(recv, ep, into.address + offset, length, into.descriptor, Fi.ADDR_UNSPEC, slab.context(slot));
    if (n == 0) {
      return Status.OK;
    }
    work.returned(true, false);
    slab.release(slot);
    return refused(work, n);
  }

  private int check(PostOwner work, MemorySegment function, long length, long most, int flags) {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    if (function == null || (flags & PostFlags.DELIVERY_COMPLETE) != 0 && !capabilities.deliveryComplete()) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (length > most || (flags & PostFlags.INLINE) != 0 && length > inlineSize) {
      return Status.LIMIT;
    }
    // Not all providers support fences, so the user must repeat the post until the reads have completed.
    return !work.hasRoom() || (flags & PostFlags.FENCE) != 0 && work.reads > 0 ? Status.AGAIN : Status.OK;
  }

  private boolean element(int i, MemoryRegion region, long offset, long length, boolean inline) {
    if (!(region instanceof FabricMemoryRegion from) || from.domain != domain || !from.covers(offset, length)) {
      return false;
    }
    long iov = scratch + (long) i * Structs.IOVEC;
    Memory.putLong(iov, inline && from.fromFile ? copied(from, offset, length) : from.address + offset);
    Memory.putLong(iov + Structs.IOVEC_LEN, length);
    Memory.putLong(scratch + DESCRIPTORS + i * 8L, from.descriptor);
    return true;
  }

  /** Copies inline bytes of a mapped file, which the library must not read; see {@link FabricMemoryRegion#fromFile}. */
  private long copied(FabricMemoryRegion from, long offset, long length) {
    if (copy == 0) {
      copy = Memory.allocate(inlineSize);
    }
    long to = copy + copyUsed;
    Memory.copyFromFile(from.segment(), offset, to, length);
    copyUsed += (int) length;
    return to;
  }

  private int describe(WorkRequest request, long peer, boolean inline) {
    int count = request.pieces();
    copyUsed = 0;
    if (count > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < count; i++) {
      if (!element(i, request.pieceRegion(i), request.pieceOffset(i), request.pieceLength(i), inline)) {
        return Status.LOCAL_RANGE;
      }
    }
    Memory.putLong(message + Structs.FI_MSG_IOV, scratch);
    Memory.putLong(message + Structs.FI_MSG_DESC, scratch + DESCRIPTORS);
    Memory.putLong(message + Structs.FI_MSG_COUNT, count);
    Memory.putLong(message + Structs.FI_MSG_ADDR, peer);
    return Status.OK;
  }

  /** Writes the remote range of an operation. {@code length} is in bytes, or in 64-bit words for an atomic. */
  private void describe(long address, long length, long key) {
    Memory.putLong(scratch + RMA, address);
    Memory.putLong(scratch + RMA + Structs.RMA_IOV_LEN, length);
    Memory.putLong(scratch + RMA + Structs.RMA_IOV_KEY, key);
    Memory.putLong(message + Structs.FI_RMA_IOV, scratch + RMA);
    Memory.putLong(message + Structs.FI_RMA_COUNT, 1);
  }

  private static void ioc(long at, long address) {
    Memory.putLong(at, address);
    Memory.putLong(at + 8, 1);
  }

  private static long nativeFlags(int flags) {
    long result = Fi.COMPLETION;
    if ((flags & PostFlags.INLINE) != 0) {
      result |= Fi.INJECT;
    }
    if ((flags & PostFlags.DELIVERY_COMPLETE) != 0) {
      result |= Fi.DELIVERY_COMPLETE;
    }
    return result;
  }

  private int acquire(PostOwner work, WorkRequest request) {
    Operation operation = request.operation();
    int slot = slab.acquire(request.id(), operation, work);
    if (slot >= 0) {
      boolean signalled = (request.flags() & PostFlags.SIGNALED) != 0;
      slab.signalled[slot] = signalled;
      work.posted(signalled, operation.isRead());
    }
    return slot;
  }

  /** Posts nothing, because the library delays no operation. */
  int flush() {
    return closed ? Status.NOT_CONNECTED : Status.OK;
  }

  private int done(PostOwner work, int slot, long n) {
    if (n == 0) {
      if (slab.operations[slot].isOneSided()) {
        queue.oneSided++;
      }
      return Status.OK;
    }
    work.returned(slab.signalled[slot], slab.operations[slot].isRead());
    slab.release(slot);
    return refused(work, n);
  }

  private static int refused(PostOwner work, long n) {
    int status = FabricErrors.postStatus((int) n);
    if (status != Status.AGAIN) {
      work.failure = (int) n;
    }
    return status;
  }

  void close() {
    if (!closed) {
      closed = true;
      Memory.free(scratch);
      Memory.free(copy);
    }
  }
}
