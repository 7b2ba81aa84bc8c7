package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Registered memory with a message fragment that one peer may read. */
public final class RendezvousSlot extends Slot {
  /** Maximum bytes of a slab, because an offset has 48 bits. */
  public static final long MOST = 1L << 48;
  public final int slab;
  private final MemorySegment segment;

  RendezvousSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    this.slab = slab;
    segment = region.segment().asSlice(offset, size);
  }

  /** Copies bytes from a buffer without moving its reader index. */
  public void write(ByteBuf from, int length) {
    write(segment, 0, from, length);
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
