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

/** Arrivals that other threads hand to a completion queue, and the wake-up of the polling thread when something comes. */
final class ArrivalQueue implements WaitSet {
  private static final long NOTHING_LATE = Long.MIN_VALUE;

  /** The clock of delays. The first delay starts it. */
  private static final class Late {
    static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
      Thread.ofPlatform().daemon().name("in-memory-delay").factory());
  }

  private final InMemoryDomain domain;
  private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  /** Arrivals that are delayed. */
  private final ArrayDeque<Arrival> late = new ArrayDeque<>();
  /** Time at which the last delayed arrival is or was due. */
  private volatile long lastDue = NOTHING_LATE;
  private volatile Runnable wakeup;
  private volatile boolean closed;
  /** Cancels the wake-up for the next deadline; null if none is set. */
  private Runnable alarm;

  ArrivalQueue(InMemoryDomain domain) {
    this.domain = domain;
  }

  /** Hands an item over after the delay of the fabric. Any thread. @return false if the queue is closed */
  boolean offer(Arrival arrival) {
    long delay = domain.fabric().delayNanos();
    if (delay == 0 && lastDue == NOTHING_LATE) {
      return hand(arrival);
    }
    return !closed && late(arrival, delay);
  }

  /** Delays an arrival. Delayed arrivals and those behind them stay in order. */
  private synchronized boolean late(Arrival arrival, long delay) {
    long now = System.nanoTime();
    lastDue = Math.max(now + delay, lastDue == NOTHING_LATE ? now : lastDue);
    late.add(arrival);
    Late.CLOCK.schedule(this::handNext, lastDue - now, TimeUnit.NANOSECONDS);
    return true;
  }

  /** Hands over the first delayed arrival. Called once for each. */
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

  /** Returns the next arrival; null if there is none. */
  Arrival poll() {
    return arrivals.poll();
  }

  /** Notes that the polling thread is awake. */
  void awake() {
    armed.setPlain(false);
  }

  /** Lets the polling thread sleep. @param millis to the next deadline; 0 if there is none. @return false if something has come */
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
    Courier courier = domain.fabric().courier();
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

  /** Wakes the polling thread if it may sleep. */
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
