package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** One posted receive and its registered memory. It has none where the fabric has messages read in place. */
final class ReceiveSlot extends Slot {
  PostedReceives receives;
  /** Another of the same. */
  ReceiveSlot next;

  ReceiveSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    receives.completed(this, batch, i);
  }
}
