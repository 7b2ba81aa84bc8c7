package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory of one posted receive. */
final class ReceiveSlot extends Slot {
  Receives receives;
  /** Whose credit it is while it waits to be posted again. */
  LinkReceiver receiver;
  boolean data;

  ReceiveSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    receives.completed(this, batch, i);
  }
}
