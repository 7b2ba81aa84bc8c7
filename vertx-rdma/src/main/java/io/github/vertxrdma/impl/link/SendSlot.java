package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory of one outgoing frame. */
final class SendSlot extends Slot {
  LinkSender sender;

  SendSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    sender.sent(this, batch.status(i), batch.error(i));
  }
}
