package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Accesses remote memory on the calling thread, without the target's threads, as a network adapter does. */
final class OneSided {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private OneSided() {
  }

  /**
   * Executes a one-sided operation.
   *
   * @param target the endpoint whose memory the request may access; null if there is none
   * @param local the bytes to write, or memory for the read; null for the request's own memory
   * @return {@link Status#OK}, {@link Status#REMOTE_ACCESS} with nothing touched, or {@link Status#LOCAL_PROTECTION}
   */
  static int access(Deliveries target, WorkRequest request, byte[] local) {
    if (request.length() == 0) {
      return Status.OK;
    }
    InMemoryRemote remote = (InMemoryRemote) request.remote();
    InMemoryRegion region = remote.region();
    long offset = remote.base() + request.remoteOffset();
    if (region == null || target == null || !region.usable(target.regions(), offset, request.length(), false)
      || !region.permits(request.operation().remoteAccess())) {
      return Status.REMOTE_ACCESS;
    }
    MemorySegment memory = region.acquire(offset, request.length());
    if (memory == null) {
      return Status.REMOTE_ACCESS;
    }
    try {
      if (request.operation().isRead()) {
        return request.operation().isAtomic() && (memory.address() & 7) != 0 ? Status.REMOTE_ACCESS : read(memory, request, local);
      }
      if (local == null) {
        gather(request, memory);
      } else {
        MemorySegment.copy(local, 0, memory, ValueLayout.JAVA_BYTE, 0, local.length);
      }
      return Status.OK;
    } finally {
      region.release();
    }
  }

  /**
   * Copies the bytes that a request sends or writes.
   *
   * @return false if a region is closed, whose part is then not copied
   */
  static boolean gather(WorkRequest request, MemorySegment to) {
    long at = 0;
    boolean all = true;
    for (int i = 0; i < request.pieces(); i++) {
      long length = request.pieceLength(i);
      all &= length == 0 || ((InMemoryRegion) request.pieceRegion(i)).read(request.pieceOffset(i), to, at, length);
      at += length;
    }
    return all;
  }

  /** Executes a read or an atomic. Atomics return the old value. */
  private static int read(MemorySegment from, WorkRequest request, byte[] heap) {
    if (heap != null) {
      read(from, request, MemorySegment.ofArray(heap));
      return Status.OK;
    }
    if (request.memory() != null) {
      read(from, request, request.memory().asSlice(request.offset(), request.length()));
      return Status.OK;
    }
    InMemoryRegion local = (InMemoryRegion) request.region();
    MemorySegment to = local.acquire(request.offset(), request.length());
    if (to == null) {
      return Status.LOCAL_PROTECTION;
    }
    read(from, request, to);
    local.release();
    return Status.OK;
  }

  private static void read(MemorySegment from, WorkRequest request, MemorySegment to) {
    switch (request.operation()) {
      case FETCH_ADD -> to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, (long) WORD.getAndAdd(from, 0L, request.operand()));
      case COMPARE_SWAP -> to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0,
        (long) WORD.compareAndExchange(from, 0L, request.operand(), request.swap()));
      default -> MemorySegment.copy(from, 0, to, 0, request.length());
    }
  }
}
