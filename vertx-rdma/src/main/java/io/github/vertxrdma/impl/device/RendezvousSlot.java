package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.MemoryRegion;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Registered memory that one peer may read, with a piece of a message until the peer has read it. */
public final class RendezvousSlot extends Slot {
  /** Most bytes of a slab: an offset has 48 bits. */
  public static final long MOST = 1L << 48;
  /** The number of its slab. */
  public final int slab;
  /** Its own bytes. */
  private final MemorySegment segment;

  RendezvousSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    this.slab = slab;
    segment = region.segment().asSlice(offset, size);
  }

  /** Copies the first readable bytes of a buffer here. They remain readable. */
  public void write(ByteBuf from, int length) {
    write(segment, 0, from, length);
  }

  /** Name in RTS and ATS frames: slab in the upper 16 bits, offset below. */
  public long name() {
    return name(slab, offset);
  }

  /** Name of a place in a slab. */
  public static long name(int slab, long offset) {
    return (long) slab << 48 | offset;
  }

  /** Slab of a name. */
  public static int slab(long name) {
    return (int) (name >>> 48);
  }

  /** Offset of a name in its slab. */
  public static long offset(long name) {
    return name & 0xffff_ffff_ffffL;
  }
}
