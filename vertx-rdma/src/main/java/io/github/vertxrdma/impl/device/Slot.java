package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Registered memory of fixed size for one work request, and that request. Confined to its pool's thread. */
public abstract class Slot extends Request {
  public final MemoryRegion region;
  /** Offset in the slab in bytes. */
  public final long offset;
  /** Cached view of the last memory written from a direct buffer. */
  private MemorySegment viewed;
  private ByteBuffer view;
  boolean quarantined;

  protected Slot(MemoryRegion region, long offset) {
    this.region = region;
    this.offset = offset;
  }

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

  @Override
  public void completed(CompletionBatch batch, int i) {
    throw new IllegalStateException(getClass().getSimpleName() + " completed");
  }
}
