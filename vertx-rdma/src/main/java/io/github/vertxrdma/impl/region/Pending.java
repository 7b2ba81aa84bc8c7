package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.CallTable;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** Request that waits for a reply, or another operation with a deadline. */
abstract class Pending extends CallTable.PendingCall {
  /** Extra time in ms after a deadline, in which the loop reads frames that arrived before the deadline. */
  private static final long LAST_MILLIS = 10;
  /** Delay of a deadline in ns beyond which the process counts as suspended, and may have unread frames. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** True after the deadline, while frames that arrived before it are still read. */
  private boolean isLate;

  @Override
  protected final void expired() {
    if (!isLate || late() > PAUSE_NANOS) {
      isLate = true;
      extend(LAST_MILLIS);
    } else {
      timedOut();
    }
  }

  void timedOut() {
    super.expired();
  }

  /** @param cause null on timeout, otherwise why the link closed */
  @Override
  protected abstract void failed(Throwable cause);

  /** @param memory payload, valid during the call */
  abstract void replied(int status, long value, MemorySegment memory, int length);
}
