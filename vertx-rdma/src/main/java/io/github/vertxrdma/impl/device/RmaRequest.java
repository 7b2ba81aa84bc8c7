package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.WorkRequest;

/** Remote memory operation, pooled by the loop. */
public final class RmaRequest extends Request {

  public interface Owner {
    void completed(RmaRequest request, int status, String error);
  }

  public final WorkRequest work = new WorkRequest();
  public Owner owner;
  public Object waiter;
  /** Null unless the operation uses staging memory. */
  public StagingSlot staging;
  /** Time of the post ({@link io.github.vertxrdma.impl.poll.Scheduler#nanoTime}). */
  public long postedNanos;
  /** True if the waiter was notified of the close, while the fabric may still access the memory. */
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
