package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Posted receive, without memory if the fabric delivers messages in place. */
final class ReceiveSlot extends Slot {
  PostedReceives receives;
  ReceiveSlot next;

  ReceiveSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    receives.completed(this, batch, i);
  }
}
