package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionBatch;
import java.util.Arrays;

/** Completions of signalled operations that are held until earlier unsignalled operations have completed. */
final class HeldCompletions {
  private final ContextSlab slab;
  private int[] slots = new int[64];
  int count;

  HeldCompletions(ContextSlab slab) {
    this.slab = slab;
  }

  void add(int slot) {
    if (count == slots.length) {
      slots = Arrays.copyOf(slots, count * 2);
    }
    slots[count++] = slot;
    slab.owed(slot);
  }

  boolean isDue() {
    for (int i = 0; i < count; i++) {
      if (slab.isCovered(slots[i])) {
        return true;
      }
    }
    return false;
  }

  void report(CompletionBatch batch) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int slot = slots[i];
      if (!batch.isFull() && slab.isCovered(slot)) {
        batch.add(slab.requestIds[slot], slab.operations[slot], slab.works[slot].endpoint, 0);
        slab.release(slot);
      } else {
        slots[kept++] = slot;
      }
    }
    count = kept;
  }

  void drop(PostOwner work) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (slab.works[slots[i]] == work) {
        slab.release(slots[i]);
      } else {
        slots[kept++] = slots[i];
      }
    }
    count = kept;
  }
}
