package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;

/**
 * How long a queue may sleep before it is polled all the same: short after traffic, doubling while nothing is found. A wake-up of
 * a cold loop costs 50 to 150 µs, so the longest sleeps keep an idle loop near a thousandth of a core.
 *
 * @param shortest nanoseconds
 * @param longest nanoseconds
 */
record SleepTimes(long shortest, long longest) {
  /** Something wakes the queue, and peers wait for its progress rarely: only when what wakes it fails to. */
  static final SleepTimes WOKEN = millis(10, 250);
  /** Peers wake the loop, except for what they cannot announce. */
  static final SleepTimes WOKEN_BY_PEERS = millis(5, 100);
  /** Nothing wakes it. */
  static final SleepTimes ALONE = millis(1, 20);
  /** Own operations are outstanding of whose end nothing tells. */
  static final SleepTimes UNANNOUNCED = new SleepTimes(TimeUnit.MICROSECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(1));

  private static SleepTimes millis(int shortest, int longest) {
    return new SleepTimes(TimeUnit.MILLISECONDS.toNanos(shortest), TimeUnit.MILLISECONDS.toNanos(longest));
  }

  /** @param idle sleeps in a row that found nothing */
  long after(int idle) {
    return Math.min(longest, shortest << Math.min(idle, 16));
  }
}
