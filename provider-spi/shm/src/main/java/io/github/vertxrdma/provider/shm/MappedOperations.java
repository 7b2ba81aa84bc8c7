package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.PostedOperation;
import java.lang.foreign.MemorySegment;

final class MappedOperations {
  private static final int WRITTEN = 24;

  private MappedOperations() {
  }

  static boolean permits(ShmRemoteMemory remote, WorkRequest request) {
    return remote.permits(1 << request.operation().remoteAccess().ordinal())
      && (!request.operation().isAtomic() || (remote.region().address() + remote.base() + request.remoteOffset() & Long.BYTES - 1) == 0);
  }

  /** Executes an operation on a peer's mapped memory. Returns false if the peer closed the region meanwhile. */
  static boolean carryOut(WorkRequest request, ShmRemoteMemory remote) {
    MemorySegment theirs = remote.region();
    long at = remote.base() + request.remoteOffset();
    switch (request.operation()) {
      case WRITE, WRITE_IMMEDIATE -> PostedOperation.copy(request, 0, theirs, at, request.length());
      case READ -> {
        if (request.length() > 0) {
          if (request.memory() != null) {
            MemorySegment.copy(theirs, at, request.memory(), request.offset(), request.length());
          } else {
            region(request).set(theirs, at, request.offset(), request.length());
          }
        }
      }
      case FETCH_ADD -> region(request).set((long) Ring.LONG.getAndAdd(theirs, at, request.operand()), request.offset());
      default -> region(request).set((long) Ring.LONG.compareAndExchange(theirs, at, request.operand(), request.swap()), request.offset());
    }
    return remote.isStillOpen();
  }

  static boolean carryOut(PostedOperation pending, ShmRemoteMemory remote) {
    WorkRequest request = pending.request();
    if (request.operation().remoteAccess() != Access.REMOTE_WRITE) {
      return carryOut(request, remote);
    }
    pending.copy(0, remote.region(), remote.base() + request.remoteOffset(), request.length());
    return remote.isStillOpen();
  }

  static boolean canBeTold(ShmEndpoint endpoint, WorkRequest request) {
    return request.operation() != Operation.WRITE_IMMEDIATE || endpoint.peering().output.claim(WRITTEN) >= 0;
  }

  /** Notifies the peer of a write with immediate to its memory. Returns false for other operations. */
  static boolean tell(ShmEndpoint endpoint, WorkRequest request) {
    if (request.operation() != Operation.WRITE_IMMEDIATE) {
      return false;
    }
    RingOutput output = endpoint.peering().output;
    long at = output.claim(WRITTEN);
    output.header(at, Record.WRITTEN | Record.HAS_IMMEDIATE, endpoint.peerNumber(), (int) request.immediate());
    Ring.LONG.set(output.memory(), at + 16, request.length());
    output.publish(at, WRITTEN);
    return true;
  }

  private static ShmRegion region(WorkRequest request) {
    return (ShmRegion) request.region();
  }
}
