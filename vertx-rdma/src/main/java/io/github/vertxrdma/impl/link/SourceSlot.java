package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Registered, remotely readable memory that holds a fragment until the receiver has read it. */
final class SourceSlot extends Slot {
  /** Its own bytes. */
  final MemorySegment segment;

  SourceSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
    segment = region.segment().asSlice(offset, size);
  }

  /** What {@link Frame#FRAGMENT} and {@link Frame#FIN} call it: slab in the upper 16 bits, offset below. */
  long name() {
    return name(slab, offset);
  }

  static long name(int slab, long offset) {
    return (long) slab << 48 | offset;
  }
}
