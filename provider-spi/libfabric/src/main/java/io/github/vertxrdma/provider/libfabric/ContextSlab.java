package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * One native context of 64 bytes per operation (FI_CONTEXT2), which the provider may scribble on until the completion, and what we know
 * of the operation beside it. Slots are reused oldest first, and one that is not in use is never believed, so a late or doubled
 * completion is dropped. There are as many as the completion queue has room for: no slot, no post. Confined to the polling thread.
 */
final class ContextSlab {
  private static final int SHIFT = Integer.numberOfTrailingZeros(Structs.CONTEXT2);
  /** Bytes of operands (the value to add, to compare and to swap) per slot. */
  static final int OPERANDS = 16;

  private static final byte FREE = 0;
  private static final byte USED = 1;
  private static final byte ORPHANED = 2;

  private final int capacity;
  private final long base;
  private final long operands;
  private final int[] free;
  private int head;
  private int tail;
  private int orphans;
  private final byte[] state;
  final long[] requestIds;
  final Operation[] operations;
  final Work[] works;
  final boolean[] signalled;
  final long[] sequences;

  ContextSlab(int capacity) {
    this.capacity = capacity;
    base = Memory.allocateAligned((long) capacity << SHIFT, Structs.CONTEXT2);
    operands = Memory.allocateAligned((long) capacity * OPERANDS, Structs.CONTEXT2);
    free = new int[Integer.highestOneBit(capacity * 2 - 1)];
    state = new byte[capacity];
    requestIds = new long[capacity];
    operations = new Operation[capacity];
    works = new Work[capacity];
    signalled = new boolean[capacity];
    sequences = new long[capacity];
    for (int i = 0; i < capacity; i++) {
      free[tail++] = i;
    }
  }

  /** Slots that are not free. */
  int used() {
    return capacity - (tail - head);
  }

  /** A slot for an operation, -1 if there is none. */
  int acquire(long requestId, Operation operation, Work work) {
    if (head == tail) {
      return -1;
    }
    int slot = free[head++ & free.length - 1];
    state[slot] = USED;
    requestIds[slot] = requestId;
    operations[slot] = operation;
    works[slot] = work;
    return slot;
  }

  void release(int slot) {
    state[slot] = FREE;
    works[slot] = null;
    free[tail++ & free.length - 1] = slot;
  }

  long context(int slot) {
    return base + ((long) slot << SHIFT);
  }

  /** Where the operands of an atomic are. */
  long operands(int slot) {
    return operands + (long) slot * OPERANDS;
  }

  long operandsBase() {
    return operands;
  }

  long operandsSize() {
    return (long) capacity * OPERANDS;
  }

  /** The slot of a context that came back; -1 if it is none of ours, is not in use, or was orphaned (then it is free now). */
  int returned(long context) {
    long offset = context - base;
    if (offset < 0 || offset >= (long) capacity << SHIFT || (offset & Structs.CONTEXT2 - 1) != 0) {
      return -1;
    }
    int slot = (int) (offset >>> SHIFT);
    if (state[slot] == ORPHANED) {
      orphans--;
      release(slot);
      return -1;
    }
    return state[slot] == USED ? slot : -1;
  }

  /**
   * The owner was closed: nothing of it is reported any more. Its slots stay taken until the queue was read empty, since completions
   * with their contexts may be in it.
   *
   * @return how many of them were one-sided
   */
  int orphan(Work work) {
    int oneSided = 0;
    for (int slot = 0; slot < capacity; slot++) {
      if (state[slot] == USED && works[slot].isOf(work)) {
        state[slot] = ORPHANED;
        works[slot] = null;
        orphans++;
        oneSided += oneSided(operations[slot]) ? 1 : 0;
      }
    }
    return oneSided;
  }

  boolean isOf(int slot, Work work) {
    return state[slot] == USED && works[slot].isOf(work);
  }

  static boolean oneSided(Operation operation) {
    return operation != Operation.SEND && operation != Operation.SEND_IMMEDIATE && operation != Operation.RECEIVE;
  }

  /** The queue was read empty. */
  void drained() {
    if (orphans > 0) {
      orphans = 0;
      for (int slot = 0; slot < capacity; slot++) {
        if (state[slot] == ORPHANED) {
          release(slot);
        }
      }
    }
  }

  /** Frees the memory, after the completion queue and all endpoints were closed. */
  void free() {
    Memory.free(base);
    Memory.free(operands);
  }
}
