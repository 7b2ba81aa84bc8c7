package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Registered memory with a message fragment that one peer may read. */
public final class RendezvousSlot extends Slot {
  /** Maximum bytes of a slab, because an offset has 48 bits. */
  public static final long MOST = 1L << 48;
  public final int slab;
  private final ByteBuffer memory;

  RendezvousSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    this.slab = slab;
    memory = region.segment().asSlice(offset, size).asByteBuffer();
  }

  /** Copies bytes from a buffer without moving its reader index. */
  public void write(ByteBuf from, int length) {
    from.getBytes(from.readerIndex(), memory.clear().limit(length));
  }

  /** Returns the id of this memory in RTS and ATS frames: the slab in the upper 16 bits, and the offset. */
  public long name() {
    return name(slab, offset);
  }

  public static long name(int slab, long offset) {
    return (long) slab << 48 | offset;
  }

  public static int slab(long name) {
    return (int) (name >>> 48);
  }

  public static long offset(long name) {
    return name & 0xffff_ffff_ffffL;
  }
}
