package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/**
 * Registered memory of one message. Returned to its pool when the last reference is released. Its capacity is fixed until {@link #growing}.
 */
public final class RegisteredBuffer extends UnpooledDirectByteBuf {
  final int first;
  /** In bytes. */
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

  public RegisteredBufferPool pool() {
    return pool;
  }

  public MemoryRegion region() {
    return pool.region();
  }

  /** Returns the offset in the slab in bytes. */
  public long offset() {
    return (long) first * RegisteredBufferPool.UNIT;
  }

  /** Allows appending, which may move the bytes to unregistered memory. */
  public RegisteredBuffer growing() {
    maxCapacity(Integer.MAX_VALUE);
    return this;
  }

  @Override
  public ByteBuf capacity(int bytes) {
    if (bytes != capacity() && maxCapacity() == size) {
      throw new UnsupportedOperationException("cannot change the capacity of registered memory from " + capacity() + " to "
        + bytes + " bytes");
    }
    return super.capacity(bytes);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    pool.release(this);
  }
}
