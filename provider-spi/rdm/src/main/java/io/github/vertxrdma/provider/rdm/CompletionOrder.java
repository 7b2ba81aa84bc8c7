package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import java.util.Arrays;

/**
 * Delays a completion until earlier operations of its connection are reported. {@link io.github.vertxrdma.provider.Endpoint} promises that
 * order, but libfabric does not (fi_cq(3), FI_ORDER_NONE). Lists are linked by the index in {@link SendTable}, so waiting allocates
 * nothing.
 */
final class CompletionOrder {
  static final int NONE = -1;

  private final SendTable sends;
  private final boolean all;
  private final int[] next;
  private final boolean[] listed;
  private final boolean[] done;
  private int readyHead = NONE;
  private int readyTail = NONE;

  /**
   * @param all true if each operation waits for all earlier ones; false if operations wait only while an unsignalled one, not inline, is
   * outstanding
   */
  CompletionOrder(SendTable sends, boolean all) {
    this.sends = sends;
    this.all = all;
    next = new int[sends.capacity];
    listed = new boolean[sends.capacity];
    done = new boolean[sends.capacity];
    Arrays.fill(next, NONE);
  }

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

  /** Records the end of an operation. @return true to report its completion now, false if it waits for earlier ones */
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
      endpoint.completed(operation);
    }
  }

  /** Stops delaying completions: after a failure, earlier operations may never complete. */
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
