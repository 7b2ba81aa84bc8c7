package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Deadline;
import java.lang.foreign.MemorySegment;

/** Request that waits for a reply, or another operation with a deadline. */
abstract class Pending extends Deadline {
  PendingTable table;
  long id;
  long timeoutMillis;
  /** True after the deadline, while frames that arrived before it are still read. */
  boolean isLate;

  @Override
  protected final void expired() {
    table.expired(this);
  }

  /** @param memory payload, valid during the call */
  abstract void replied(int status, long value, MemorySegment memory, int length);

  /** @param cause null on timeout, otherwise why the link closed */
  abstract void lost(Throwable cause);
}
