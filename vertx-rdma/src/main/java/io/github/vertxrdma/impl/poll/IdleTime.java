package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.impl.poll.PollPolicy.Next;

final class IdleTime {
  /**
   * A polling loop yields after this time: longer than a round trip between two polling loops. Other runnable threads are often the peer.
   */
  static final long SPIN_NANOS = 2_000;

  private long events = -1;
  private long since;

  /** Returns the nanoseconds since a call first saw this number of events. */
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
