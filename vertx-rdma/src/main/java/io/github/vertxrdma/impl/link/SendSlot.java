package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;

/** Registered memory of one outgoing frame. */
final class SendSlot extends Slot {
  /** Its own bytes. */
  final MemorySegment segment;
  /** A send of the frame in it; length and flags are the frame's. */
  final WorkRequest request;
  LinkSender sender;

  SendSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
    segment = region.segment().asSlice(offset, size);
    request = new WorkRequest().send(region, offset, size);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    sender.sent(this, batch.status(i), batch.error(i));
  }
}
