package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.WorkRequest;

/** A remote memory operation on its way; pooled by the loop. */
final class Transfer extends Request {
  Transfers transfers;
  /** Names {@link #staging}, or registered memory of the caller. */
  final WorkRequest request = new WorkRequest();
  /** Where the bytes go through; null before the post, and where the caller's memory is used. */
  StagingSlot staging;
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
    request.clear();
    staging = null;
    done = null;
    told = false;
  }
}
