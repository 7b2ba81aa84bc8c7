package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/** Posted receives, one slot each. On a shared queue they complete in any order. Confined to one thread. */
final class ReceiveSlots {
  private final VerbsDomain domain;
  private final long[] requestIds;
  private final int[] free;
  private final boolean[] posted;
  private final long requests;
  private final long bad;
  private int freeCount;

  ReceiveSlots(VerbsDomain domain, int capacity) {
    this.domain = domain;
    requestIds = new long[capacity];
    posted = new boolean[capacity];
    free = new int[capacity];
    requests = Memory.allocateAligned((long) capacity * (RECV_WR_SIZE + SGE_SIZE) + Long.BYTES, 64);
    long elements = requests + (long) capacity * RECV_WR_SIZE;
    bad = elements + (long) capacity * SGE_SIZE;
    for (int i = 0; i < capacity; i++) {
      free[capacity - 1 - i] = i;
      Memory.putLong(request(i) + RECV_WR_SGES, elements + (long) i * SGE_SIZE);
      Memory.putInt(request(i) + RECV_WR_SGE_COUNT, 1);
    }
    freeCount = capacity;
  }

  private long request(int slot) {
    return requests + (long) slot * RECV_WR_SIZE;
  }

  int capacity() {
    return requestIds.length;
  }

  int posted() {
    return requestIds.length - freeCount;
  }

  int post(MemorySegment function, long queue, int tag, long requestId, MemoryRegion memory, long offset, int length) {
    if (!(memory instanceof VerbsRegion region) || region.domain != domain || !region.localWrite || !region.covers(offset, length)) {
      return Status.LOCAL_RANGE;
    }
    if (freeCount == 0) {
      return Status.AGAIN;
    }
    int slot = free[freeCount - 1];
    long request = request(slot);
    long element = Memory.getLong(request + RECV_WR_SGES);
    Memory.putLong(element + SGE_ADDR, region.address + offset);
    Memory.putInt(element + SGE_LENGTH, length);
    Memory.putInt(element + SGE_LKEY, region.localKey);
    int status = submit(function, queue, tag, slot);
    if (status == Status.OK) {
      requestIds[slot] = requestId;
      posted[slot] = true;
      freeCount--;
    }
    return status;
  }

  private int submit(MemorySegment function, long queue, int tag, int slot) {
    Memory.putLong(request(slot) + RECV_WR_ID, (long) tag << 32 | Owners.RECEIVE | slot);
    try {
      // Drivers return errno with either sign.
      int errno = (int) IbVerbs.POST.invokeExact(function, queue, request(slot), bad);
      return errno == 0 ? Status.OK : switch (Math.abs(errno)) {
        case Errno.ENOMEM, Errno.EAGAIN -> Status.AGAIN;
        case Errno.ENOTCONN -> Status.NOT_CONNECTED;
        default -> Status.FAILED;
      };
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  /** Frees the slot of a completed receive. @return the receive's request id */
  long take(int slot) {
    if (posted[slot]) {
      posted[slot] = false;
      free[freeCount++] = slot;
    }
    return requestIds[slot];
  }

  boolean isPosted(int slot) {
    return slot < posted.length && posted[slot];
  }

  void close() {
    Memory.free(requests);
  }
}
