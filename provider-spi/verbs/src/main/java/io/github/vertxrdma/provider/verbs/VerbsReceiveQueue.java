package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;

/** Receives of one queue pair, each in a slot while it is posted. */
final class VerbsReceiveQueue implements ReceiveQueue {
  private final VerbsEndpoint endpoint;
  private final VerbsDomain domain;
  private final long[] requestIds;
  private final int[] free;
  private final boolean[] posted;
  private final long requests;
  private final long bad;
  private int freeCount;

  VerbsReceiveQueue(VerbsEndpoint endpoint, int capacity) {
    this.endpoint = endpoint;
    domain = endpoint.domain;
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

  @Override
  public int capacity() {
    return requestIds.length;
  }

  @Override
  public boolean shared() {
    return false;
  }

  int posted() {
    return requestIds.length - freeCount;
  }

  @Override
  public int post(long requestId, MemoryRegion memory, long offset, int length) {
    if (length < 0) {
      return Status.LOCAL_RANGE;
    }
    if (endpoint.state() == EndpointState.BROKEN || endpoint.state() == EndpointState.CLOSED) {
      return Status.NOT_CONNECTED;
    }
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
    int status = submit(slot);
    if (status == Status.OK) {
      requestIds[slot] = requestId;
      posted[slot] = true;
      freeCount--;
    }
    return status;
  }

  private int submit(int slot) {
    Memory.putLong(request(slot) + RECV_WR_ID, (long) endpoint.tag() << 32 | Owners.RECEIVE | slot);
    try {
      // Drivers return errno with either sign.
      int errno = (int) IbVerbs.POST.invokeExact(domain.postReceive, endpoint.queuePair(), request(slot), bad);
      return errno == 0 ? Status.OK : switch (Math.abs(errno)) {
        case Errno.ENOMEM, Errno.EAGAIN -> Status.AGAIN;
        case Errno.ENOTCONN -> Status.NOT_CONNECTED;
        default -> Status.FAILED;
      };
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  void completed(int slot, long wc, int status, CompletionBatch batch) {
    if (slot >= posted.length || !posted[slot]) {
      return;
    }
    if (status == 0 && endpoint.isMoving()) {
      endpoint.hold(wc);
      return;
    }
    long requestId = take(slot);
    if (status == 0) {
      endpoint.messageArrived();
      received(requestId, wc, batch);
    } else {
      failed(requestId, wc, status, batch);
    }
  }

  private void received(long requestId, long wc, CompletionBatch batch) {
    boolean write = Memory.getInt(wc + WC_OPCODE) == WC_RECV_WRITE_IMMEDIATE;
    Operation operation = write ? Operation.REMOTE_WRITE : Operation.RECEIVE;
    int entry = batch.add(requestId, operation, endpoint, Integer.toUnsignedLong(Memory.getInt(wc + WC_BYTES)));
    if ((Memory.getInt(wc + WC_FLAGS) & WC_WITH_IMMEDIATE) != 0) {
      batch.immediate(entry, Integer.toUnsignedLong(Integer.reverseBytes(Memory.getInt(wc + WC_IMMEDIATE))));
    }
  }

  /** Reports a failed receive. The opcode of a failed entry is undefined; ibv_poll_cq(3). */
  private void failed(long requestId, long wc, int status, CompletionBatch batch) {
    WorkStatus why = WorkStatus.of(status, true, false);
    String words = why.describe(status, Memory.getInt(wc + WC_VENDOR_ERROR));
    batch.error(batch.add(requestId, Operation.RECEIVE, endpoint, 0), why.status, words);
    endpoint.workFailed(Operation.RECEIVE, why, words);
  }

  /** Frees the slot of a posted receive and returns the receive's request id. */
  private long take(int slot) {
    posted[slot] = false;
    free[freeCount++] = slot;
    return requestIds[slot];
  }

  void flushForgotten() {
    for (int slot = 0; slot < posted.length; slot++) {
      if (posted[slot]) {
        endpoint.queue.synthesize(endpoint, take(slot), Operation.RECEIVE, WorkStatus.WR_FLUSH_ERR.words);
      }
    }
  }

  /** Called after the queue pair was destroyed. */
  void free() {
    Memory.free(requests);
  }

  @Override
  public void close() {
    // The receives end with their endpoint.
  }
}
