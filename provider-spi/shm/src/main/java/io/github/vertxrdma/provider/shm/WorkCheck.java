package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.RegionTable;

/** Looks at the memory that an operation names before it is taken. */
final class WorkCheck {
  private WorkCheck() {
  }

  /**
   * Whether an operation may be posted.
   *
   * @param regions those of its domain
   * @param elements the most that a list may have
   * @return {@link Status#OK} or a negative status
   */
  static int of(WorkRequest request, RegionTable<ShmRegion> regions, int elements) {
    if (request.memory() != null) {
      return request.offset() < 0 || request.length() < 0 || request.offset() > request.memory().byteSize() - request.length()
        || request.memory().isReadOnly() ? Status.LOCAL_RANGE : remote(request);
    }
    if (request.pieces() > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < request.pieces(); i++) {
      int status = element(regions, request.pieceRegion(i), request.pieceOffset(i), request.pieceLength(i), request.operation().isRead());
      if (status != Status.OK) {
        return status;
      }
    }
    return request.operation().isOneSided() ? remote(request) : Status.OK;
  }

  private static int element(RegionTable<ShmRegion> regions, MemoryRegion region, long offset, long length, boolean sink) {
    if (region == null && length == 0) {
      return Status.OK;
    }
    return region instanceof ShmRegion mine && mine.usable(regions, offset, length, sink) ? Status.OK : Status.LOCAL_RANGE;
  }

  private static int remote(WorkRequest request) {
    long offset = request.remoteOffset();
    return request.remote() instanceof ShmRemoteMemory memory && memory.covers(offset, request.length())
      && (!request.operation().isAtomic() || (offset & Long.BYTES - 1) == 0) ? Status.OK : Status.REMOTE_RANGE;
  }
}
