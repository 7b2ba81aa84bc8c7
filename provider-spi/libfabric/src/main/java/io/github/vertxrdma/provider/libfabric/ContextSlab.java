package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.Arrays;

/**
 * One native context of 64 bytes per operation (FI_CONTEXT2), which the provider may scribble on until the completion, and what we know
 * of the operation beside it. Slots are reused oldest first, and one that is not in use is never believed, so a late or doubled
 * completion is dropped. No slot, no post: there are as many as the completion queue has room for, and more by the piece where the
 * provider sees to it that the queue does not overrun. Confined to the polling thread.
 */
final class ContextSlab {
  private static final int SHIFT = Integer.numberOfTrailingZeros(Structs.CONTEXT2);
  /** Bytes of operands (the value to add, to compare and to swap) per slot. */
  static final int OPERANDS = 16;

  private static final byte FREE = 0;
  private static final byte USED = 1;
  private static final byte ORPHANED = 2;
  /** Over, and still to be reported: completions of the provider are not believed any more. */
  private static final byte OWED = 3;

  private static final int NONE = -1;

  private final int most;
  private final int pieceShift;
  private int capacity;
  /** The addresses of the contexts of each piece, and of the operands. */
  private long[] contexts = {};
  private long[] operands = {};
  private int[] free = {};
  private int head;
  private int tail;
  private byte[] state = {};
  /** The slots of one owner are linked, so that its end costs what it has, and not what all have. */
  private int[] next = {};
  private int[] previous = {};
  private final PostOwner orphans = new PostOwner(null, null);
  long[] requestIds = {};
  Operation[] operations = {};
  PostOwner[] works = {};
  boolean[] signalled = {};
  long[] sequences = {};

  /** @param most slots that it may grow to */
  ContextSlab(int capacity, int most) {
    this.most = Math.max(capacity, most);
    pieceShift = Integer.numberOfTrailingZeros(Integer.highestOneBit(capacity * 2 - 1));
    add(capacity);
  }

  /** Slots, in use or not. */
  int capacity() {
    return capacity;
  }

  /** Slots that are not free. */
  int used() {
    return capacity - (tail - head);
  }

  private void add(int slots) {
    contexts = Arrays.copyOf(contexts, contexts.length + 1);
    contexts[contexts.length - 1] = Memory.allocateAligned((long) slots << SHIFT, Structs.CONTEXT2);
    operands = Arrays.copyOf(operands, operands.length + 1);
    operands[operands.length - 1] = Memory.allocateAligned((long) slots * OPERANDS, Structs.CONTEXT2);
    int total = capacity + slots;
    state = Arrays.copyOf(state, total);
    next = Arrays.copyOf(next, total);
    previous = Arrays.copyOf(previous, total);
    requestIds = Arrays.copyOf(requestIds, total);
    operations = Arrays.copyOf(operations, total);
    works = Arrays.copyOf(works, total);
    signalled = Arrays.copyOf(signalled, total);
    sequences = Arrays.copyOf(sequences, total);
    // Made larger only when none is free.
    free = new int[Integer.highestOneBit(total * 2 - 1)];
    head = 0;
    tail = 0;
    for (int i = capacity; i < total; i++) {
      free[tail++] = i;
    }
    capacity = total;
  }

  private boolean grow() {
    int piece = 1 << pieceShift;
    if (capacity % piece != 0 || capacity > most - piece) {
      return false;
    }
    add(piece);
    return true;
  }

  /** A slot for an operation, -1 if there is none. */
  int acquire(long requestId, Operation operation, PostOwner work) {
    if (head == tail && !grow()) {
      return NONE;
    }
    int slot = free[head++ & free.length - 1];
    state[slot] = USED;
    requestIds[slot] = requestId;
    operations[slot] = operation;
    works[slot] = work;
    link(slot, work.root());
    return slot;
  }

  void release(int slot) {
    unlink(slot, works[slot].root());
    state[slot] = FREE;
    works[slot] = null;
    free[tail++ & free.length - 1] = slot;
  }

  private void link(int slot, PostOwner root) {
    int first = root.firstSlot;
    next[slot] = first;
    previous[slot] = NONE;
    if (first != NONE) {
      previous[first] = slot;
    }
    root.firstSlot = slot;
  }

  private void unlink(int slot, PostOwner root) {
    int after = next[slot];
    int before = previous[slot];
    if (before == NONE) {
      root.firstSlot = after;
    } else {
      next[before] = after;
    }
    if (after != NONE) {
      previous[after] = before;
    }
  }

  long context(int slot) {
    return contexts[slot >> pieceShift] + ((slot & (1L << pieceShift) - 1) << SHIFT);
  }

  /** The address of the operands of an atomic. */
  long operands(int slot) {
    return operands[slot >> pieceShift] + (slot & (1L << pieceShift) - 1) * OPERANDS;
  }

  /** The operands of a slab that does not grow. */
  long operandsBase() {
    return operands[0];
  }

  long operandsSize() {
    return (long) capacity * OPERANDS;
  }

  /** The slot of a context that came back; -1 if it is none of ours, is not in use, or was orphaned (then it is free now). */
  int returned(long context) {
    int slot = slot(context);
    if (slot == NONE) {
      return NONE;
    }
    if (state[slot] == ORPHANED) {
      release(slot);
      return NONE;
    }
    return state[slot] == USED ? slot : NONE;
  }

  private int slot(long context) {
    long piece = (long) Structs.CONTEXT2 << pieceShift;
    for (int i = 0; i < contexts.length; i++) {
      long offset = context - contexts[i];
      if (offset >= 0 && offset < piece) {
        int slot = (i << pieceShift) + (int) (offset >>> SHIFT);
        return (offset & Structs.CONTEXT2 - 1) == 0 && slot < capacity ? slot : NONE;
      }
    }
    return NONE;
  }

  /** The slot's operation is over, by its completion or without one, and is reported later. */
  void owed(int slot) {
    state[slot] = OWED;
  }

  /** Operations of the work that wait for a completion of the provider. */
  int[] underWay(PostOwner work) {
    int[] slots = new int[work.outstanding];
    int count = 0;
    for (int slot = work.root().firstSlot; slot != NONE && count < slots.length; slot = next[slot]) {
      if (state[slot] == USED && works[slot].isOf(work)) {
        slots[count++] = slot;
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /**
   * The owner was closed: nothing of it is reported any more. Its slots stay taken until the queue was read empty, since completions
   * with their contexts may be in it.
   *
   * @param work not that of one peer among others
   * @return how many of them were one-sided
   */
  int orphan(PostOwner work) {
    int oneSided = 0;
    for (int slot; (slot = work.firstSlot) != NONE;) {
      unlink(slot, work);
      state[slot] = ORPHANED;
      works[slot] = orphans;
      link(slot, orphans);
      oneSided += operations[slot].isOneSided() ? 1 : 0;
    }
    return oneSided;
  }

  boolean isOf(int slot, PostOwner work) {
    return works[slot] != null && works[slot].isOf(work);
  }

  /** The queue was read empty. */
  void drained() {
    while (orphans.firstSlot != NONE) {
      release(orphans.firstSlot);
    }
  }

  /** Frees the memory, after the completion queue and all endpoints were closed. */
  void free() {
    for (int i = 0; i < contexts.length; i++) {
      Memory.free(contexts[i]);
      Memory.free(operands[i]);
    }
  }
}
