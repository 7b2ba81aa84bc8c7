package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * A piece of registered memory that one work request uses. It is the request too: its id carries a generation, so that a completion
 * of an earlier use is told apart. Confined to its pool's thread.
 */
public abstract class Slot extends Request {
  /** The slab it lies in. */
  public final MemoryRegion region;
  /** The offset in the slab, in bytes. */
  public final long offset;
  /** The memory last written to from a buffer outside of the heap, and a view of it; null before the first. */
  private MemorySegment viewed;
  private ByteBuffer view;
  /** Whether its pool does without it for now, see {@link SlotPool#quarantine}. */
  boolean quarantined;

  protected Slot(MemoryRegion region, long offset) {
    this.region = region;
    this.offset = offset;
  }

  /** Copies the first readable bytes of a buffer to memory of this slot. They remain readable. */
  protected final void write(MemorySegment memory, long at, ByteBuf from, int length) {
    if (from.hasArray()) {
      MemorySegment.copy(from.array(), from.arrayOffset() + from.readerIndex(), memory, ValueLayout.JAVA_BYTE, at, length);
    } else if (length > 0) {
      if (viewed != memory) {
        viewed = memory;
        view = memory.asByteBuffer();
      }
      from.getBytes(from.readerIndex(), view.clear().limit((int) at + length).position((int) at));
    }
  }

  /** For slots that are never requests of their own. */
  @Override
  public void completed(CompletionBatch batch, int i) {
    throw new IllegalStateException(getClass().getSimpleName() + " completed");
  }
}
