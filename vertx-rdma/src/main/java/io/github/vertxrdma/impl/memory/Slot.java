package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;

/**
 * A piece of registered memory that one work request uses. It is the request too: its id carries a generation, so that a completion
 * of an earlier use is told apart. Confined to its pool's thread.
 */
public abstract class Slot extends Request {
  /** The slab it lies in. */
  public final MemoryRegion region;
  /** The offset in the slab, in bytes. */
  public final long offset;
  /** Whether its pool does without it for now, see {@link SlotPool#quarantine}. */
  boolean quarantined;

  protected Slot(MemoryRegion region, long offset) {
    this.region = region;
    this.offset = offset;
  }

  /** For slots that are never requests of their own. */
  @Override
  public void completed(CompletionBatch batch, int i) {
    throw new IllegalStateException(getClass().getSimpleName() + " completed");
  }
}
