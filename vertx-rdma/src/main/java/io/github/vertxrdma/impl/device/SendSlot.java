package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Memory of one outgoing frame: registered, or claimed from the fabric by {@link Endpoint#claim}. */
public final class SendSlot extends Slot {
  public MemorySegment segment;
  public long at;
  /** Completed when the message is delivered. Null except for the message's last frame. */
  public Completable<Void> written;
  LoopEndpoint sender;
  /** Segment of {@link #view}, which is made for the first direct buffer. */
  private MemorySegment viewed;
  private ByteBuffer view;

  SendSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    segment = region.segment();
    at = offset;
  }

  /** Creates the slot for frames in claimed memory. */
  SendSlot() {
    super(null, 0);
  }

  public SendSlot claimed(MemorySegment memory, long offset) {
    // Compares first, because an assignment costs a write barrier.
    if (segment != memory) {
      segment = memory;
    }
    at = offset;
    if (written != null) {
      // From a message that failed before its frame was posted.
      written = null;
    }
    return this;
  }

  /** Copies bytes from a buffer without moving its reader index. @param to offset in the frame */
  public void write(long to, ByteBuf from, int length) {
    if (from.hasArray()) {
      MemorySegment.copy(from.array(), from.arrayOffset() + from.readerIndex(), segment, ValueLayout.JAVA_BYTE, at + to, length);
    } else if (length > 0) {
      if (viewed != segment) {
        viewed = segment;
        view = segment.asByteBuffer();
      }
      int start = (int) (at + to);
      from.getBytes(from.readerIndex(), view.clear().limit(start + length).position(start));
    }
  }

  public boolean isClaimed() {
    return region == null;
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    sender.sent(this, batch.status(i), batch.error(i));
  }
}
