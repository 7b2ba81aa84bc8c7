package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Operation;

/**
 * Holds messages that arrived before earlier ones, each in its receive. A fabric may complete a short message before an earlier long one,
 * or promise no order. Lists are linked by the index of the receive, so holding allocates nothing.
 */
final class ReorderBuffer {
  private static final int NONE = -1;

  private final SharedReceives receives;
  private final int[] next;
  private final int[] sequences;
  private final long[] lengths;
  private final RdmConnection[] connections;
  private int readyHead = NONE;
  private int readyTail = NONE;

  ReorderBuffer(SharedReceives receives) {
    this.receives = receives;
    int capacity = receives.capacity();
    next = new int[capacity];
    sequences = new int[capacity];
    lengths = new long[capacity];
    connections = new RdmConnection[capacity];
  }

  /** @return false if the buffer already holds a message with that number */
  boolean hold(RdmConnection connection, int slot, int sequence, CompletionBatch batch, int i) {
    int before = NONE;
    int after = connection.heldHead;
    while (after != NONE && sequences[after] - sequence < 0) {
      before = after;
      after = next[after];
    }
    if (after != NONE && sequences[after] == sequence) {
      return false;
    }
    sequences[slot] = sequence;
    lengths[slot] = batch.length(i);
    connections[slot] = connection;
    next[slot] = after;
    if (before == NONE) {
      connection.heldHead = slot;
    } else {
      next[before] = slot;
    }
    return true;
  }

  void advance(RdmConnection connection) {
    while (connection.heldHead != NONE && sequences[connection.heldHead] == connection.expected) {
      int slot = connection.heldHead;
      connection.heldHead = next[slot];
      connection.expected++;
      connection.ready++;
      next[slot] = NONE;
      if (readyTail == NONE) {
        readyHead = slot;
      } else {
        next[readyTail] = slot;
      }
      readyTail = slot;
    }
  }

  boolean isReady() {
    return readyHead != NONE;
  }

  void deliver(CompletionBatch batch) {
    while (readyHead != NONE && !batch.isFull()) {
      int slot = readyHead;
      readyHead = next[slot];
      if (readyHead == NONE) {
        readyTail = NONE;
      }
      RdmConnection connection = connections[slot];
      connections[slot] = null;
      connection.ready--;
      batch.add(receives.userIds[slot], Operation.RECEIVE, connection.endpoint, lengths[slot]);
      receives.release(slot);
    }
  }

  void discard(RdmConnection connection) {
    while (connection.heldHead != NONE) {
      int slot = connection.heldHead;
      connection.heldHead = next[slot];
      connections[slot] = null;
      receives.repost(slot);
    }
  }
}
