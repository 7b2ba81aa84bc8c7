package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;
import java.util.Arrays;

/**
 * The order of what a connection has posted, for fabrics that promise none: an operation that ended before earlier ones of its connection waits
 * for them, so that the end of one tells of the end of all before it. Lists are linked by the index of {@link SendTable}, so that waiting
 * allocates nothing.
 */
final class CompletionOrder {
  static final int NONE = -1;

  private final SendTable sends;
  private final int[] next;
  private final boolean[] done;
  private int readyHead = NONE;
  private int readyTail = NONE;

  CompletionOrder(SendTable sends) {
    this.sends = sends;
    next = new int[sends.capacity];
    done = new boolean[sends.capacity];
    Arrays.fill(next, NONE);
  }

  /** The operation at an index is the last that its connection has posted. */
  void posted(ConnectedEndpoint endpoint, int index) {
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
    if (endpoint.unordered) {
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
      endpoint.counters.succeeded(operation);
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
