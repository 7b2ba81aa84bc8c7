package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Registered memory with a fragment of a message, which one peer may read. */
public final class RendezvousSlot extends Slot {
  /** Maximum bytes of a slab: an offset has 48 bits. */
  public static final long MOST = 1L << 48;
  public final int slab;
  private final MemorySegment segment;

  RendezvousSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    this.slab = slab;
    segment = region.segment().asSlice(offset, size);
  }

  /** Copies the first readable bytes of a buffer to the slot. They remain readable. */
  public void write(ByteBuf from, int length) {
    write(segment, 0, from, length);
  }

  /** Returns the identifier of this memory in RTS and ATS frames: the slab in the upper 16 bits, the offset below. */
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
