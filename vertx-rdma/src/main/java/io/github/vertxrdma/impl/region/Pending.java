package io.github.vertxrdma.impl.region;

import java.lang.foreign.MemorySegment;

/** Something of one link that must be over in time: a request that waits for its reply, or an operation. Confined to the link's loop. */
abstract class Pending {
  /** Its number on the link. */
  long id;
  /** Whether it is in the {@link PendingTable}. */
  boolean listed;
  /** Time that it has, from the first tick of the table after it was added. */
  long timeoutMillis;
  /** Nanoseconds of the loop's clock when its time is up, once that tick was. */
  long deadline;
  boolean timed;

  /** Its reply came, and it is no longer in the table. @param memory payload from 0 on, valid during the call */
  abstract void replied(int status, long value, MemorySegment memory, int length);

  /** Its time is up, or its link is over; it is no longer in the table. @param cause null if its time is up */
  abstract void lost(Throwable cause);
}
