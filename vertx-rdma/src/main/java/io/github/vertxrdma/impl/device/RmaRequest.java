package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.WorkRequest;

/** One remote memory operation: its work request, and who hears of its completion. Pooled by the loop. */
public final class RmaRequest extends Request {

  /** Whoever posts it. */
  public interface Owner {
    void completed(RmaRequest request, int status, String error);
  }

  public final WorkRequest work = new WorkRequest();
  public Owner owner;
  /** Receiver of its end. */
  public Object waiter;
  /** Memory that it goes through; null if it has registered memory of its own. */
  public StagingSlot staging;
  /** Time of its post, as {@link io.github.vertxrdma.impl.loop.Scheduler#nanoTime} has it. */
  public long postedNanos;
  /** The waiter has heard that the link is over; the fabric still owns the memory. */
  public boolean notified;

  RmaRequest() {
  }

  @Override
  public void completed(CompletionBatch batch, int i) {
    owner.completed(this, batch.status(i), batch.error(i));
  }

  void clear() {
    owner = null;
    waiter = null;
    staging = null;
    notified = false;
    work.local(null, 0, 0).remote(null, 0).flags(0);
  }
}
