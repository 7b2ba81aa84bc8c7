package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;

/** Posted receives, in order, and the endpoints whose next message waits for one. */
final class ShmReceiveQueue implements ReceiveQueue {
  private final ShmQueue queue;
  private final ShmEndpoint owner;
  private final int capacity;
  private final int mask;
  private final long[] requestIds;
  private final ShmRegion[] regions;
  private final long[] offsets;
  private final int[] lengths;
  private final ArrayDeque<ShmEndpoint> waiting = new ArrayDeque<>();
  private long head;
  private long tail;
  private boolean closed;

  /** @param owner the endpoint whose own queue it is, null for a shared one */
  ShmReceiveQueue(ShmQueue queue, int capacity, ShmEndpoint owner) {
    this.queue = queue;
    this.owner = owner;
    this.capacity = capacity;
    int slots = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
    mask = slots - 1;
    requestIds = new long[slots];
    regions = new ShmRegion[slots];
    offsets = new long[slots];
    lengths = new int[slots];
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public boolean shared() {
    return owner == null;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (closed || owner != null && !owner.receives()) {
      return Status.NOT_CONNECTED;
    }
    if (tail - head == capacity) {
      return Status.AGAIN;
    }
    ShmRegion mine = null;
    if (region instanceof ShmRegion known && known.table == queue.domain().regions()) {
      mine = known;
    }
    if (mine == null || !mine.covers(offset, length) || !mine.sink()) {
      return Status.LOCAL_RANGE;
    }
    int i = (int) tail++ & mask;
    requestIds[i] = requestId;
    regions[i] = mine;
    offsets[i] = offset;
    lengths[i] = length;
    if (!waiting.isEmpty()) {
      queue.receiveNext(waiting.poll());
    }
    return Status.OK;
  }

  ShmQueue queue() {
    return queue;
  }

  boolean isEmpty() {
    return head == tail;
  }

  /** Notes that the endpoint goes on when a receive is posted. */
  void await(ShmEndpoint endpoint) {
    if (!waiting.contains(endpoint)) {
      waiting.add(endpoint);
    }
  }

  void forget(ShmEndpoint endpoint) {
    waiting.remove(endpoint);
  }

  long requestId() {
    return requestIds[(int) head & mask];
  }

  ShmRegion region() {
    return regions[(int) head & mask];
  }

  long offset() {
    return offsets[(int) head & mask];
  }

  int length() {
    return lengths[(int) head & mask];
  }

  /** Takes the first receive, which the methods above describe. */
  void take() {
    regions[(int) head++ & mask] = null;
  }

  /** Gives every posted receive back. */
  void flush() {
    while (head < tail) {
      queue.completions().fail(requestId(), Operation.RECEIVE, owner, 0, Status.FLUSHED,
        owner == null ? "the shared receive queue was closed" : "the endpoint is no longer connected");
      take();
    }
  }

  @Override
  public void close() {
    if (owner == null && !closed) {
      closed = true;
      waiting.clear();
      flush();
      queue.remove(this);
    }
  }
}
