package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/**
 * Registered memory of one message as a buffer. It goes back to its pool with the last reference, and cannot be read any more then. It has
 * the size it was taken with, until its reader is allowed to append to it: then it may move to memory of its own.
 */
public final class RegisteredBuffer extends UnpooledDirectByteBuf {
  /** The unit of the slab that it begins with. */
  final int first;
  /** Bytes of it. */
  final int size;
  private final RegisteredBufferPool pool;
  RegisteredBuffer next;

  RegisteredBuffer(RegisteredBufferPool pool, int first, int size) {
    super(UnpooledByteBufAllocator.DEFAULT, pool.region().segment().asSlice((long) first * RegisteredBufferPool.UNIT, size).asByteBuffer(),
      size);
    this.pool = pool;
    this.first = first;
    this.size = size;
  }

  /** Pool that it goes back to. */
  public RegisteredBufferPool pool() {
    return pool;
  }

  /** Slab that it lies in. */
  public MemoryRegion region() {
    return pool.region();
  }

  /** Offset in the slab, in bytes. */
  public long offset() {
    return (long) first * RegisteredBufferPool.UNIT;
  }

  /** Allows to append to it: it is never sent from where it lies. */
  public RegisteredBuffer growing() {
    maxCapacity(Integer.MAX_VALUE);
    return this;
  }

  @Override
  public ByteBuf capacity(int bytes) {
    if (bytes != capacity() && maxCapacity() == size) {
      throw new UnsupportedOperationException("registered memory of " + capacity() + " bytes cannot be made one of " + bytes);
    }
    return super.capacity(bytes);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    pool.back(this);
  }
}
