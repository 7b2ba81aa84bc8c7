package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Slot;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory through which one remote read or write of unregistered memory goes. */
final class StagingSlot extends Slot {

  StagingSlot(MemoryRegion region, long offset, int size, int slab) {
    super(region, offset, size, slab);
  }
}
