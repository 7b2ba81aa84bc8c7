package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.impl.loop.PollPolicy.Next;

/** The time since the last event of a loop, and whether a loop that polls yields. */
final class IdleTime {
  /**
   * Nanoseconds of polling in vain after which a loop yields: longer than a round trip between two loops that poll. Threads that can run
   * are often the peer, or the loop that makes the next step of the same request.
   */
  static final long SPIN_NANOS = 2_000;

  private long events = -1;
  private long since;

  /** Returns nanoseconds since the number of events was another one, as far as calls tell. */
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
