package io.github.vertxrdma.impl.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;

/**
 * Bytes on the heap that an application receives and may append to, as to any buffer of Vert.x. Its slices grow too: HTTP/1.1 hands slices
 * of what arrived to the application, and those that Netty makes cannot.
 */
public final class HeapBuffer extends UnpooledHeapByteBuf {

  /** @param bytes become the buffer's */
  public HeapBuffer(byte[] bytes) {
    super(UnpooledByteBufAllocator.DEFAULT, bytes, Integer.MAX_VALUE);
  }

  /** Copies what is readable of another buffer. */
  public static HeapBuffer copyOf(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.getBytes(buffer.readerIndex(), bytes);
    return new HeapBuffer(bytes);
  }

  @Override
  public ByteBuf slice(int index, int length) {
    return new GrowingSlice(this, index, length);
  }
}
