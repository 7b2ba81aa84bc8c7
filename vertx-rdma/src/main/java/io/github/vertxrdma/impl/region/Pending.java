package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Deadline;
import java.lang.foreign.MemorySegment;

/** A request of one link that waits for its reply, or an operation, and its deadline. Confined to the loop of the link. */
abstract class Pending extends Deadline {
  PendingTable table;
  /** Its number on the link. */
  long id;
  long timeoutMillis;
  /** Whether the deadline has passed once, and what came until then is read before this fails. */
  boolean isLate;

  @Override
  protected final void expired() {
    table.expired(this);
  }

  /** Called when the reply came. This is no longer in the table. @param memory payload from 0 on, valid during the call */
  abstract void replied(int status, long value, MemorySegment memory, int length);

  /** Called when this operation has timed out, or the link closed. It is no longer in the table. @param cause null if it timed out */
  abstract void lost(Throwable cause);
}
