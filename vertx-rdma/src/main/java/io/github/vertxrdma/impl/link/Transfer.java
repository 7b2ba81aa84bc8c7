package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.RemoteMemory;

/** A remote memory operation on its way; pooled by the loop. */
final class Transfer extends Request {
  Transfers transfers;
  Operation operation;
  RemoteMemory remote;
  long remoteOffset;
  /** Through here, unless {@link #region} is set. */
  StagingSlot staging;
  /** Registered memory of the caller, used directly. */
  MemoryRegion region;
  long offset;
  long length;
  long operand;
  long swap;
  int flags;
  /** When it was posted, as {@link System#nanoTime} has it. */
  long postedNanos;
  Transfers.Done done;
  /** {@link #done} has heard that the link is over; the fabric still owns the memory. */
  boolean told;

  @Override
  public void completed(CompletionBatch batch, int i) {
    transfers.completed(this, batch.status(i), batch.error(i));
  }

  void clear() {
    transfers = null;
    remote = null;
    staging = null;
    region = null;
    done = null;
    told = false;
    flags = 0;
  }
}
