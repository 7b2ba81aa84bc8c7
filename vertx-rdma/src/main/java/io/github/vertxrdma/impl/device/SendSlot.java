package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;

/** Registered memory of one outgoing frame. */
public final class SendSlot extends Slot {
  /** Its own bytes. */
  public final MemorySegment segment;
  /** Called when the peer is sure to get the message whose last frame lies here; null for other frames. */
  public Completable<Void> written;
  LoopEndpoint sender;

  SendSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    segment = region.segment().asSlice(offset, size);
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    sender.sent(this, batch.status(i), batch.error(i));
  }
}
