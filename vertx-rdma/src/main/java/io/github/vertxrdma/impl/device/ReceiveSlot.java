package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory of one posted receive. */
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
