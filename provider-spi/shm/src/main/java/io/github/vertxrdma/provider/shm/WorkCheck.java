package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ScatterGather;
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
    ScatterGather list = request.list();
    Operation operation = request.operation();
    if (list == null) {
      int status = element(regions, request.region(), request.offset(), request.length(), operation.isRead());
      return status != Status.OK || !operation.isOneSided() ? status : remote(request);
    }
    if (list.size() > elements) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      int status = element(regions, list.region(i), list.offset(i), list.length(i), false);
      if (status != Status.OK) {
        return status;
      }
    }
    return operation.isOneSided() ? remote(request) : Status.OK;
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
