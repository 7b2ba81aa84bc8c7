package io.github.vertxrdma.impl.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A bucket that loses a share each 128 ms, to which traffic adds a share after some messages or bytes. Thread-safe. */
final class Pace {
  private static final long SHARE_NANOS = TimeUnit.MILLISECONDS.toNanos(128);
  /** Shares of a second at the highest rate of rare traffic. One is not enough, since those of rarely used connections may coincide. */
  private static final long FULL_NANOS = 8 * SHARE_NANOS;

  /** Time in ns at which the bucket will be empty. */
  private final AtomicLong empty = new AtomicLong(System.nanoTime());

  /** Adds a share, and returns whether the bucket is full: traffic is not rare. @param now from {@link System#nanoTime} */
  boolean isBusy(long now) {
    long before;
    long level;
    do {
      before = empty.get();
      level = Math.min(Math.max(before - now, 0) + SHARE_NANOS, FULL_NANOS);
    } while (!empty.compareAndSet(before, now + level));
    return level == FULL_NANOS;
  }
}
