package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Remote memory accesses, carried out by the thread that asks, as by a NIC: the target's processor is not involved. */
final class OneSided {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  private OneSided() {
  }

  /** Writes what the list gathers. @return {@link Status#OK}, or {@link Status#REMOTE_ACCESS} with nothing written */
  static int write(RegionTable target, InMemoryRemote remote, long remoteOffset, ScatterGather list) {
    long total = list.total();
    InMemoryRegion region = region(target, remote, Access.REMOTE_WRITE);
    MemorySegment to = region == null ? null : region.acquire(remote.address + remoteOffset, total);
    if (to == null) {
      return total == 0 ? Status.OK : Status.REMOTE_ACCESS;
    }
    try {
      long at = 0;
      for (int i = 0; i < list.size(); i++) {
        at += copy((InMemoryRegion) list.region(i), list.offset(i), list.length(i), to, at);
      }
    } finally {
      region.release();
    }
    return Status.OK;
  }

  static int write(RegionTable target, InMemoryRemote remote, long remoteOffset, InMemoryRegion local, long offset, long length) {
    if (length == 0) {
      return Status.OK;
    }
    InMemoryRegion region = region(target, remote, Access.REMOTE_WRITE);
    MemorySegment to = region == null ? null : region.acquire(remote.address + remoteOffset, length);
    if (to == null) {
      return Status.REMOTE_ACCESS;
    }
    try {
      copy(local, offset, length, to, 0);
    } finally {
      region.release();
    }
    return Status.OK;
  }

  private static long copy(InMemoryRegion local, long offset, long length, MemorySegment to, long at) {
    MemorySegment from = local.acquire(offset, length);
    if (from != null) {
      MemorySegment.copy(from, 0, to, at, length);
      local.release();
    }
    return length;
  }

  static int read(RegionTable target, InMemoryRemote remote, long remoteOffset, InMemoryRegion local, long offset, long length) {
    if (length == 0) {
      return Status.OK;
    }
    InMemoryRegion region = region(target, remote, Access.REMOTE_READ);
    MemorySegment from = region == null ? null : region.acquire(remote.address + remoteOffset, length);
    if (from == null) {
      return Status.REMOTE_ACCESS;
    }
    try {
      MemorySegment to = local.acquire(offset, length);
      if (to == null) {
        return Status.LOCAL_PROTECTION;
      }
      MemorySegment.copy(from, 0, to, 0, length);
      local.release();
    } finally {
      region.release();
    }
    return Status.OK;
  }

  /** Fetch-add, or with swap true compare-swap of first by second. */
  static int atomic(RegionTable target, InMemoryRemote remote, long remoteOffset, InMemoryRegion result, long offset,
    boolean swap, long first, long second) {
    InMemoryRegion region = region(target, remote, Access.REMOTE_ATOMIC);
    MemorySegment word = region == null ? null : region.acquire(remote.address + remoteOffset, Long.BYTES);
    if (word == null) {
      return Status.REMOTE_ACCESS;
    }
    try {
      if ((word.address() & 7) != 0) {
        return Status.REMOTE_ACCESS;
      }
      MemorySegment to = result.acquire(offset, Long.BYTES);
      if (to == null) {
        return Status.LOCAL_PROTECTION;
      }
      long old = swap ? (long) WORD.compareAndExchange(word, 0L, first, second) : (long) WORD.getAndAdd(word, 0L, first);
      to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, old);
      result.release();
    } finally {
      region.release();
    }
    return Status.OK;
  }

  private static InMemoryRegion region(RegionTable target, InMemoryRemote remote, Access right) {
    InMemoryRegion region = target == null ? null : target.fabric.region(remote.key);
    return region != null && region.table == target && region.access().contains(right) ? region : null;
  }
}
