package io.github.vertxrdma.provider.devices.memory;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Delivers all traffic immediately. Once a delay was set, delivers messages and connection steps in order on a timer thread. Thread-safe.
 */
final class DirectCourier implements Courier {
  private static final long NOTHING_LATE = Long.MIN_VALUE;
  private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(1,
    Thread.ofPlatform().daemon().name("in-memory-delay").factory());

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  private volatile long delayNanos;
  /** Due time of the last delayed parcel, in {@link System#nanoTime}. */
  private volatile long lastDue = NOTHING_LATE;

  void delay(long nanos) {
    delayNanos = nanos;
  }

  @Override
  public void carry(Parcel parcel) {
    if (parcel.cargo() == Cargo.ACCESS || delayNanos == 0 && lastDue == NOTHING_LATE) {
      parcel.deliver();
    } else {
      late(parcel);
    }
  }

  /** Delays a parcel. Parcels after a delayed one keep their order. */
  private synchronized void late(Parcel parcel) {
    long now = System.nanoTime();
    lastDue = Math.max(now + delayNanos, lastDue == NOTHING_LATE ? now : lastDue);
    TIMER.schedule(parcel::deliver, lastDue - now, TimeUnit.NANOSECONDS);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Runnable after(int domain, long millis, Runnable task) {
    Future<?> timer = TIMER.schedule(task, millis, TimeUnit.MILLISECONDS);
    return () -> timer.cancel(false);
  }
}
