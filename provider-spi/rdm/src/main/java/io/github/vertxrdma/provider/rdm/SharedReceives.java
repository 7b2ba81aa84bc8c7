package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;

/** Receives of an {@link RdmEndpoint}, shared by its connections. A receive with a {@link ControlMessage} is posted again. */
final class SharedReceives implements ReceiveQueue {
  private static final long RECEIVE = 1L << 62;

  private final ConnectedQueue queue;
  final long[] userIds;
  final MemoryRegion[] regions;
  final long[] offsets;
  final int[] lengths;
  private final int[] generations;
  private final int[] free;
  private int freeCount;
  /** Ring of receives for which the {@link RdmEndpoint} has no room. */
  private final int[] unposted;
  private int unpostedHead;
  private int unpostedTail;
  private RdmEndpoint raw;
  private boolean closed;

  SharedReceives(ConnectedQueue queue, int capacity) {
    this.queue = queue;
    userIds = new long[capacity];
    regions = new MemoryRegion[capacity];
    offsets = new long[capacity];
    lengths = new int[capacity];
    generations = new int[capacity];
    free = new int[capacity];
    unposted = new int[Integer.highestOneBit(capacity * 2 - 1)];
    for (int i = 0; i < capacity; i++) {
      free[i] = capacity - 1 - i;
    }
    freeCount = capacity;
  }

  @Override
  public int capacity() {
    return free.length;
  }

  @Override
  public boolean shared() {
    return true;
  }

  /** @return {@link Status#LIMIT} for a receive shorter than the prefix */
  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    if (!region.covers(offset, length) || !region.access().contains(Access.LOCAL_WRITE)) {
      return Status.LOCAL_RANGE;
    }
    if (length < RdmLayer.PREFIX) {
      return Status.LIMIT;
    }
    if (freeCount == 0) {
      return Status.AGAIN;
    }
    int slot = free[freeCount - 1];
    userIds[slot] = requestId;
    regions[slot] = region;
    offsets[slot] = offset;
    lengths[slot] = length;
    int status = raw == null ? Status.AGAIN : postRaw(slot);
    if (status == Status.AGAIN) {
      later(slot);
      status = Status.OK;
    }
    if (status == Status.OK) {
      freeCount--;
    } else {
      regions[slot] = null;
    }
    return status;
  }

  private int postRaw(int slot) {
    MemoryRegion region = regions[slot];
    // Clears the prefix of an earlier message: it is read if the next message does not fit.
    if (!ControlMessage.prefix(region.segment(), offsets[slot], 0, 0)) {
      return Status.LOCAL_RANGE;
    }
    return raw.postReceive(RECEIVE | (long) (generations[slot] & 0xfff_ffff) << 32 | slot, region, offsets[slot], lengths[slot]);
  }

  private void later(int slot) {
    unposted[unpostedTail++ & unposted.length - 1] = slot;
  }

  void postWaiting() {
    while (raw != null && unpostedHead != unpostedTail) {
      int slot = unposted[unpostedHead & unposted.length - 1];
      int status = postRaw(slot);
      if (status == Status.AGAIN) {
        return;
      }
      unpostedHead++;
      if (status != Status.OK) {
        queue.synthetic.add(Completion.of(userIds[slot], Operation.RECEIVE, null, Status.LOCAL_PROTECTION,
          "the receive could not be posted: " + Status.name(status)));
        release(slot);
      }
    }
  }

  void opened(RdmEndpoint endpoint) {
    raw = endpoint;
    postWaiting();
  }

  /** Keeps all receives for the next {@link RdmEndpoint}. */
  void closedRaw() {
    raw = null;
    unpostedHead = unpostedTail;
    for (int i = 0; i < regions.length; i++) {
      if (regions[i] != null) {
        generations[i]++;
        later(i);
      }
    }
  }

  static boolean isReceive(long requestId) {
    return requestId >= RECEIVE;
  }

  int slot(long requestId) {
    int slot = (int) requestId;
    return slot >= 0 && slot < regions.length && regions[slot] != null
      && (requestId >> 32 & 0xfff_ffff) == (generations[slot] & 0xfff_ffff) ? slot : -1;
  }

  void release(int slot) {
    regions[slot] = null;
    generations[slot]++;
    free[freeCount++] = slot;
  }

  void repost(int slot) {
    generations[slot]++;
    if (raw == null || unpostedHead != unpostedTail || postRaw(slot) != Status.OK) {
      later(slot);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (queue.listener != null || !queue.users.isEmpty()) {
      throw new ProviderException(ProviderException.Reason.INVALID, "cannot close the shared receive queue: it still has endpoints "
        + "or a listener. Close them first");
    }
    closed = true;
    queue.endpoints.close();
    raw = null;
    for (int i = 0; i < regions.length; i++) {
      if (regions[i] != null) {
        queue.synthetic.add(Completion.of(userIds[i], Operation.RECEIVE, null, Status.FLUSHED, "the shared receive queue was closed"));
        release(i);
      }
    }
    queue.receives = null;
  }
}
