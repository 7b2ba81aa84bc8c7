package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.device.LoopEndpoint.Cost;
import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory of one posted receive. */
final class ReceiveSlot extends Slot {
  PostedReceives receives;
  /** Sender of the frame whose receive waits to be posted again, and what the frame cost it. */
  LoopEndpoint from;
  Cost cost;

  ReceiveSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    receives.completed(this, batch, i);
  }
}
