package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.Arrays;

/**
 * Slots with native contexts (FI_CONTEXT2, 64 bytes each) of the operations in flight. A free slot is reused as late as possible, and a
 * completion for a free slot is dropped. So late or repeated completions do no harm. There is one slot for each entry of the completion
 * queue. The slab grows if the provider prevents overruns of that queue. Confined to the polling thread.
 */
final class ContextSlab {
  private static final int SHIFT = Integer.numberOfTrailingZeros(Structs.CONTEXT2);
  static final int OPERANDS = 16;

  private static final byte FREE = 0;
  private static final byte USED = 1;
  private static final byte ORPHANED = 2;
  /** State of an operation that has ended but is not reported yet. */
  private static final byte OWED = 3;

  private static final int NONE = -1;

  private final int most;
  private final int pieceShift;
  private int capacity;
  private long[] contexts = {};
  private long[] operands = {};
  private int[] free = {};
  private int head;
  private int tail;
  private byte[] state = {};
  /** Next older slot of the same owner. When an owner ends, only its own slots are visited. */
  private int[] next = {};
  private int[] previous = {};
  private final PostOwner orphans = new PostOwner(null, 0);
  long[] requestIds = {};
  Operation[] operations = {};
  PostOwner[] works = {};
  boolean[] signalled = {};

  ContextSlab(int capacity, int most) {
    this.most = Math.max(capacity, most);
    pieceShift = Integer.numberOfTrailingZeros(Integer.highestOneBit(capacity * 2 - 1));
    add(capacity);
  }

  int capacity() {
    return capacity;
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

  int acquire(long requestId, Operation operation, PostOwner work) {
    if (head == tail && !grow()) {
      return NONE;
    }
    int slot = free[head++ & free.length - 1];
    state[slot] = USED;
    requestIds[slot] = requestId;
    operations[slot] = operation;
    works[slot] = work;
    link(slot, work);
    return slot;
  }

  void release(int slot) {
    unlink(slot, works[slot]);
    state[slot] = FREE;
    works[slot] = null;
    free[tail++ & free.length - 1] = slot;
  }

  private void link(int slot, PostOwner work) {
    int first = work.firstSlot;
    next[slot] = first;
    previous[slot] = NONE;
    if (first != NONE) {
      previous[first] = slot;
    }
    work.firstSlot = slot;
  }

  private void unlink(int slot, PostOwner work) {
    int after = next[slot];
    int before = previous[slot];
    if (before == NONE) {
      work.firstSlot = after;
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

  long operands(int slot) {
    return operands[slot >> pieceShift] + (slot & (1L << pieceShift) - 1) * OPERANDS;
  }

  long operandsBase() {
    return operands[0];
  }

  long operandsSize() {
    return (long) capacity * OPERANDS;
  }

  /** Returns the slot of a completed context, or -1 if the context is unknown, not in use, or {@linkplain #orphan orphaned}. */
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

  void owed(int slot) {
    state[slot] = OWED;
  }

  /** Returns whether all unsignalled operations that the same owner posted before have completed. */
  boolean isCovered(int slot) {
    for (int earlier = works[slot].unsignalled == 0 ? NONE : next[slot]; earlier != NONE; earlier = next[earlier]) {
      if (!signalled[earlier]) {
        return false;
      }
    }
    return true;
  }

  int[] underWay(PostOwner work) {
    int[] slots = new int[work.outstanding];
    int count = 0;
    for (int slot = work.firstSlot; slot != NONE && count < slots.length; slot = next[slot]) {
      if (state[slot] == USED) {
        slots[count++] = slot;
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /**
   * Drops later completions of a closed owner. The owner's slots stay in use until the completion queue is empty, because the queue may
   * contain completions for them.
   *
   * @return number of the owner's one-sided operations
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

  void drained() {
    while (orphans.firstSlot != NONE) {
      release(orphans.firstSlot);
    }
  }

  /** Called after the completion queue and all endpoints were closed. */
  void free() {
    for (int i = 0; i < contexts.length; i++) {
      Memory.free(contexts[i]);
      Memory.free(operands[i]);
    }
  }
}
