package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;

/** Memory of one outgoing frame: registered, or claimed from the fabric ({@link Endpoint#claim}). */
public final class SendSlot extends Slot {
  /** Memory that the frame lies in, from {@link #at} on. */
  public MemorySegment segment;
  public long at;
  /** Called when the peer is sure to get the message whose last frame lies here; null for other frames. */
  public Completable<Void> written;
  LoopEndpoint sender;

  SendSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    segment = region.segment();
    at = offset;
  }

  /** Makes the slot of frames that are written to claimed memory: {@link #claimed} sets the place of each. */
  SendSlot() {
    super(null, 0);
  }

  /** Sets its memory, which is claimed. */
  public SendSlot claimed(MemorySegment memory, long offset) {
    // A reference is written only where it changes, see CompletionBatch.
    if (segment != memory) {
      segment = memory;
    }
    at = offset;
    if (written != null) {
      // A message that failed before its frame was posted has left it.
      written = null;
    }
    return this;
  }

  /** Copies the first readable bytes of a buffer to the frame. They remain readable. @param to offset in the frame */
  public void write(long to, ByteBuf from, int length) {
    write(segment, at + to, from, length);
  }

  /** Returns whether its memory is claimed, and so needs no release. */
  public boolean isClaimed() {
    return region == null;
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    sender.sent(this, batch.status(i), batch.error(i));
  }
}
