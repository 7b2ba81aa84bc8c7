package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;

/** Checks and posts work requests of a connected endpoint. */
final class OperationPosts {
  private final VerbsDomain domain;
  private final VerbsSendQueue sends;
  private final DeviceQuirks quirks;
  private final int elements;
  private final int inlineSize;
  private final int operations;
  private final long maxMessage;
  private final long maxTransfer;
  private final boolean readSinkNeeded;

  OperationPosts(VerbsDomain domain, VerbsSendQueue sends, int elements, int inlineSize) {
    this.domain = domain;
    this.sends = sends;
    this.elements = elements;
    this.inlineSize = inlineSize;
    quirks = domain.quirks;
    int can = 0;
    for (Operation operation : domain.capabilities().operations()) {
      can |= 1 << operation.ordinal();
    }
    operations = can;
    maxMessage = domain.limits().maxMessageSize();
    maxTransfer = domain.limits().maxTransferSize();
    readSinkNeeded = domain.device().attributes.iwarp();
  }

  int post(WorkRequest request) {
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    int status = check(request, flags);
    if (status != Status.OK) {
      return status;
    }
    return switch (operation) {
      case WRITE, WRITE_IMMEDIATE -> write(request, flags);
      case READ -> read(request, flags);
      case FETCH_ADD, COMPARE_SWAP -> atomic(request, flags);
      default -> sends.post(request, flags, 0, 0);
    };
  }

  private int check(WorkRequest request, int flags) {
    Operation operation = request.operation();
    long length = request.length();
    if ((operations & 1 << operation.ordinal()) == 0) {
      return Status.UNSUPPORTED;
    }
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (length > (operation.isOneSided() ? maxTransfer : maxMessage)
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize) {
      return Status.LIMIT;
    }
    return sends.hasRoom() ? checkLocal(request) : Status.AGAIN;
  }

  private int checkLocal(WorkRequest request) {
    ScatterGather list = request.list();
    if (list == null) {
      return isLocal(request.region(), request.offset(), request.length()) ? Status.OK : Status.LOCAL_RANGE;
    }
    if (list.size() > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      if (!isLocal(list.region(i), list.offset(i), list.length(i))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private boolean isLocal(MemoryRegion memory, long offset, long length) {
    return memory instanceof VerbsRegion region && region.domain == domain && region.covers(offset, length);
  }

  private int write(WorkRequest request, int flags) {
    if ((flags & PostFlags.DELIVERY_COMPLETE) != 0) {
      return Status.UNSUPPORTED;
    }
    if (!(request.remote() instanceof VerbsRemoteMemory to) || !to.covers(request.remoteOffset(), request.length())) {
      return Status.REMOTE_RANGE;
    }
    return sends.post(request, flags, to.address + request.remoteOffset(), to.key);
  }

  private int read(WorkRequest request, int flags) {
    VerbsRegion into = (VerbsRegion) request.region();
    if (!(readSinkNeeded ? into.readSink : into.localWrite)) {
      return Status.LOCAL_RANGE;
    }
    long length = request.length();
    if (!(request.remote() instanceof VerbsRemoteMemory from) || !from.covers(request.remoteOffset(), length)) {
      return Status.REMOTE_RANGE;
    }
    long address = from.address + request.remoteOffset();
    int apart = quirks.readApart(address, length);
    int parts = apart == 0 ? 1 : 2;
    if (!sends.hasRoomForReads(parts)) {
      return parts > Math.min(sends.depth, sends.readLimit) ? Status.LIMIT : Status.AGAIN;
    }
    return apart == 0 ? sends.post(request, flags, address, from.key) : sends.postInTwo(request, apart, flags, address, from.key);
  }

  private int atomic(WorkRequest request, int flags) {
    if (!((VerbsRegion) request.region()).localWrite) {
      return Status.LOCAL_RANGE;
    }
    if (!(request.remote() instanceof VerbsRemoteMemory at) || !at.covers(request.remoteOffset(), Long.BYTES)
      || (at.address + request.remoteOffset() & 7) != 0) {
      return Status.REMOTE_RANGE;
    }
    if (!sends.hasRoomForReads(1)) {
      return Status.AGAIN;
    }
    return sends.post(request, flags, at.address + request.remoteOffset(), at.key);
  }
}
