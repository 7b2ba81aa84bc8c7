package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.WaitSet;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

final class ArrivalQueue implements WaitSet {
  private static final long NOTHING_LATE = Long.MIN_VALUE;

  /** Timer thread for delayed arrivals, which the first delay starts. */
  private static final class Late {
    static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
      Thread.ofPlatform().daemon().name("in-memory-delay").factory());
  }

  private final InMemoryDomain domain;
  private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final ArrayDeque<Arrival> late = new ArrayDeque<>();
  /** Due time of the last delayed arrival, in {@link System#nanoTime}. */
  private volatile long lastDue = NOTHING_LATE;
  private volatile Runnable wakeup;
  private volatile boolean closed;
  private Runnable alarm;

  ArrivalQueue(InMemoryDomain domain) {
    this.domain = domain;
  }

  /**
   * Adds an item after the fabric's delay. Thread-safe.
   *
   * @return false if the queue is closed
   */
  boolean offer(Arrival arrival) {
    long delay = domain.fabric().delayNanos;
    if (delay == 0 && lastDue == NOTHING_LATE) {
      return hand(arrival);
    }
    return !closed && late(arrival, delay);
  }

  /** Delays an arrival. Arrivals after a delayed one keep their order. */
  private synchronized boolean late(Arrival arrival, long delay) {
    long now = System.nanoTime();
    lastDue = Math.max(now + delay, lastDue == NOTHING_LATE ? now : lastDue);
    late.add(arrival);
    Late.CLOCK.schedule(this::handNext, lastDue - now, TimeUnit.NANOSECONDS);
    return true;
  }

  private void handNext() {
    Arrival next;
    synchronized (this) {
      next = late.poll();
    }
    if (!hand(next)) {
      next.bounce();
    }
  }

  private boolean hand(Arrival arrival) {
    if (closed) {
      return false;
    }
    arrivals.add(arrival);
    if (closed && arrivals.remove(arrival)) {
      return false;
    }
    disturb();
    return true;
  }

  Arrival poll() {
    return arrivals.poll();
  }

  void disarm() {
    armed.setPlain(false);
  }

  /**
   * Lets the polling thread sleep.
   *
   * @param millis time to the next deadline; 0 if there is none
   * @return false if an item has arrived
   */
  boolean arm(long millis) {
    if (waiting() == Waiting.NONE) {
      return arrivals.isEmpty();
    }
    cancelAlarm();
    if (millis > 0) {
      alarm = after(millis);
    }
    armed.set(true);
    if (arrivals.isEmpty()) {
      return true;
    }
    armed.set(false);
    return false;
  }

  private Runnable after(long millis) {
    Courier courier = domain.fabric().courier;
    if (courier != null) {
      return courier.after(domain.number, millis, this::disturb);
    }
    CompletableFuture<Void> clock = new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS);
    clock.thenRun(this::disturb);
    return () -> clock.cancel(false);
  }

  private void cancelAlarm() {
    if (alarm != null) {
      alarm.run();
      alarm = null;
    }
  }

  @Override
  public void disturb() {
    if (armed.get() && armed.getAndSet(false)) {
      Runnable handler = wakeup;
      if (handler != null) {
        handler.run();
      }
    }
  }

  @Override
  public int fd() {
    return -1;
  }

  @Override
  public Waiting waiting() {
    return domain.capabilities().waiting();
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    wakeup = handler;
  }

  @Override
  public void close() {
    closed = true;
    cancelAlarm();
    for (Arrival a; (a = arrivals.poll()) != null;) {
      a.bounce();
    }
  }
}
