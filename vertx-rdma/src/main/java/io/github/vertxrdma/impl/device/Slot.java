package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/** Registered memory of fixed size for one work request, and that request. Confined to its pool's thread. */
public abstract class Slot extends Request {
  public final MemoryRegion region;
  /** Offset in the slab in bytes. */
  public final long offset;
  boolean quarantined;

  protected Slot(MemoryRegion region, long offset) {
    this.region = region;
    this.offset = offset;
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    throw new IllegalStateException(getClass().getSimpleName() + " completed");
  }
}
