package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.impl.poll.PollPolicy.Next;

final class IdleTime {
  /**
   * Idle time in ns after which a polling loop yields its processor, because the peer may need it. Longer than a round trip between two
   * polling loops.
   */
  static final long SPIN_NANOS = 2_000;

  private long events = -1;
  private long since;

  /** Returns the ns since the first call with the current number of events. */
  long at(long now, long eventsSoFar) {
    if (eventsSoFar != events) {
      events = eventsSoFar;
      since = now;
    }
    return now - since;
  }

  Next next(long now, long eventsSoFar) {
    return at(now, eventsSoFar) > SPIN_NANOS ? Next.YIELD : Next.POLL;
  }
}
