package io.github.vertxrdma.impl.loop;

import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * What it costs on this machine to wake a loop that sleeps, until its first task runs: measured when loops first sleep, and every second
 * while they have work. The second longest of the last few, since some find the loop about to wake anyhow, and one a busy core. Any thread.
 */
final class WakeUpCost implements LongSupplier {
  static final WakeUpCost MACHINE = new WakeUpCost();
  /** The cost that is assumed until it has been measured. */
  static final long ASSUMED = TimeUnit.MICROSECONDS.toNanos(50);
  static final long LEAST = TimeUnit.MICROSECONDS.toNanos(10);
  /** A wake-up that takes longer had to wait for a core. */
  static final long MOST = TimeUnit.MICROSECONDS.toNanos(200);
  private static final int SAMPLES = 8;
  private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

  private final AtomicLongArray last = new AtomicLongArray(SAMPLES);
  private final AtomicInteger measured = new AtomicInteger();
  private volatile long nanos = ASSUMED;

  @Override
  public long getAsLong() {
    return nanos;
  }

  void measured(long took) {
    int count = measured.getAndIncrement();
    last.set(Math.floorMod(count, SAMPLES), Math.clamp(took, LEAST, MOST));
    if (count >= SAMPLES - 1 || count < 0) {
      long[] sorted = new long[SAMPLES];
      Arrays.setAll(sorted, last::get);
      Arrays.sort(sorted);
      nanos = sorted[SAMPLES - 2];
    }
  }

  private boolean settled() {
    int count = measured.get();
    return count >= SAMPLES || count < 0;
  }

  /** The sleeps of one loop. For its thread. */
  final class Sleeper {
    private final Executor loop;
    private volatile boolean asleep;
    private boolean worked = true;
    private long next = System.nanoTime();

    /** @param loop runs tasks on it */
    Sleeper(Executor loop) {
      this.loop = loop;
    }

    /** It is about to sleep. */
    void sleeps(long now) {
      asleep = true;
      if (worked && now - next >= 0) {
        worked = false;
        next = now + (settled() ? PERIOD : FIRST_PERIOD);
        try {
          GlobalEventExecutor.INSTANCE.execute(this::measure);
        } catch (OutOfMemoryError e) {
          // There is no thread for it now: the cost stays as it is known.
        }
      }
    }

    /** It has slept. */
    void woke() {
      asleep = false;
    }

    /** Completions came. */
    void worked() {
      worked = true;
    }

    private void measure() {
      long from = System.nanoTime();
      if (asleep) {
        EventLoopHost.tryExecute(loop, () -> measured(System.nanoTime() - from));
      }
    }
  }
}
