package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Registered memory for a remote read or write whose caller's memory is not registered. */
public final class StagingSlot extends Slot {
  public final MemorySegment segment;

  StagingSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset);
    segment = region.segment().asSlice(offset, size);
  }
}
