package io.github.vertxrdma.impl.poll;

import java.util.concurrent.TimeUnit;

/**
 * Time in ns that a queue sleeps before a timer polls it: {@code shortest} after traffic, then doubled by each poll that finds nothing.
 * Waking an idle loop costs 50 to 150 µs, so {@link #WOKEN_BY_PEERS} uses about a thousandth of a core.
 */
record SleepTimes(long shortest, long longest) {
  /** For queues whose completions wake the loop, but whose peers' operations progress only in polls. */
  static final SleepTimes WOKEN = millis(10, 250);
  /** For queues whose loop peers wake through a {@link WakeSocket}. */
  static final SleepTimes WOKEN_BY_PEERS = millis(5, 100);
  /** For queues that nothing wakes. */
  static final SleepTimes ALONE = millis(1, 20);
  static final SleepTimes UNANNOUNCED = new SleepTimes(TimeUnit.MICROSECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(1));

  private static SleepTimes millis(int shortest, int longest) {
    return new SleepTimes(TimeUnit.MILLISECONDS.toNanos(shortest), TimeUnit.MILLISECONDS.toNanos(longest));
  }

  /** @param idle number of successive polls that found nothing */
  long after(int idle) {
    return Math.min(longest, shortest << Math.min(idle, 16));
  }
}
