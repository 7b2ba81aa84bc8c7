package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Registered memory that a remote read or write uses instead of the caller's unregistered memory. */
public final class StagingSlot extends Slot {
  public final MemorySegment segment;

  StagingSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    segment = region.segment().asSlice(offset, size);
  }
}
