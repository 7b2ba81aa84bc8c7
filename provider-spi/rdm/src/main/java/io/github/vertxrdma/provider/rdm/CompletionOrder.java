package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import java.util.Arrays;

/**
 * The order in which a connection hears of the ends of its operations. Libfabric promises none (fi_cq(3), FI_ORDER_NONE), not even where
 * messages arrive in order: a short one ends before an earlier one that the peer has yet to fetch. Yet the end of one tells of the end of
 * those before it that make no completion, and whose memory is free then: it waits for them. On a fabric that promises no order at all each
 * waits for all before it. Lists are linked by the index of {@link SendTable}, so that waiting allocates nothing.
 */
final class CompletionOrder {
  static final int NONE = -1;

  private final SendTable sends;
  private final boolean all;
  private final int[] next;
  /** Whether an operation has a turn to wait for. */
  private final boolean[] listed;
  private final boolean[] done;
  private int readyHead = NONE;
  private int readyTail = NONE;

  /**
   * Creates the order of a device.
   *
   * @param all true if each operation waits for all before it, not only for those that it covers: where there is no order otherwise, and
   *   where the completion of a send proves that the messages before it arrive as well
   */
  CompletionOrder(SendTable sends, boolean all) {
    this.sends = sends;
    this.all = all;
    next = new int[sends.capacity];
    listed = new boolean[sends.capacity];
    done = new boolean[sends.capacity];
    Arrays.fill(next, NONE);
  }

  /** The operation at an index is the last that its connection has posted. @param flags of its post */
  void posted(ConnectedEndpoint endpoint, int index, int flags) {
    listed[index] = all || endpoint.newest != NONE || (flags & (PostFlags.SIGNALED | PostFlags.INLINE)) == 0;
    if (!listed[index]) {
      return;
    }
    done[index] = false;
    next[index] = NONE;
    if (endpoint.newest == NONE) {
      endpoint.oldest = index;
    } else {
      next[endpoint.newest] = index;
    }
    endpoint.newest = index;
  }

  /** @return whether the operation that has ended, maybe with an error, is to be told of at once; else it is when its turn comes */
  boolean isNext(ConnectedEndpoint endpoint, int index, boolean failed) {
    if (failed) {
      release(endpoint);
    }
    if (endpoint.unordered || !listed[index]) {
      return true;
    }
    done[index] = true;
    if (endpoint.oldest != index) {
      return false;
    }
    boolean now = endpoint.ready == 0;
    if (now) {
      endpoint.oldest = next[index];
    }
    advance(endpoint);
    return now;
  }

  /** Makes ready what waited only for its turn. */
  private void advance(ConnectedEndpoint endpoint) {
    while (endpoint.oldest != NONE && done[endpoint.oldest]) {
      int index = endpoint.oldest;
      endpoint.oldest = next[index];
      ready(endpoint, index);
    }
    if (endpoint.oldest == NONE) {
      endpoint.newest = NONE;
    }
  }

  private void ready(ConnectedEndpoint endpoint, int index) {
    endpoint.ready++;
    next[index] = NONE;
    if (readyTail == NONE) {
      readyHead = index;
    } else {
      next[readyTail] = index;
    }
    readyTail = index;
  }

  boolean isReady() {
    return readyHead != NONE;
  }

  /** Tells of what is ready, as far as the batch has room. */
  void deliver(CompletionBatch batch) {
    while (readyHead != NONE && !batch.isFull()) {
      int index = readyHead;
      readyHead = next[index];
      if (readyHead == NONE) {
        readyTail = NONE;
      }
      ConnectedEndpoint endpoint = sends.endpoints[index];
      Operation operation = sends.operation(index);
      endpoint.ready--;
      if (sends.signalled(index)) {
        batch.add(sends.userIds[index], operation, endpoint, 0);
      }
      sends.release(index);
      endpoint.counters().succeeded(operation);
      endpoint.completed(operation);
    }
  }

  /** An operation failed, or the peer is gone: what has ended waits no more for what may never end. */
  void release(ConnectedEndpoint endpoint) {
    endpoint.unordered = true;
    while (endpoint.oldest != NONE) {
      int index = endpoint.oldest;
      endpoint.oldest = next[index];
      if (done[index]) {
        ready(endpoint, index);
      }
    }
    endpoint.newest = NONE;
  }
}
