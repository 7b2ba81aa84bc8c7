package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Deadline;
import java.lang.foreign.MemorySegment;

/** Request that waits for its reply, or other operation with a deadline. */
abstract class Pending extends Deadline {
  PendingTable table;
  long id;
  long timeoutMillis;
  /** True after the deadline, while the loop still reads frames that arrived before the deadline. */
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
