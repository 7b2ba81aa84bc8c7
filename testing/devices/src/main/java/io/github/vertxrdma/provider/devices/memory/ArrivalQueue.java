package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.WaitSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

final class ArrivalQueue implements WaitSet {
  private final InMemoryDomain domain;
  private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private volatile Runnable wakeup;
  private volatile boolean closed;
  private Runnable alarm;

  ArrivalQueue(InMemoryDomain domain) {
    this.domain = domain;
  }

  /** Adds an item. Thread-safe. @return false if the queue is closed */
  boolean offer(Arrival arrival) {
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

  @Override
  public boolean arm(long millis) {
    if (waiting() == Waiting.NONE) {
      return arrivals.isEmpty();
    }
    cancelAlarm();
    if (millis > 0) {
      alarm = domain.fabric().courier.after(domain.number, millis, this::disturb);
    }
    armed.set(true);
    if (arrivals.isEmpty()) {
      return true;
    }
    armed.set(false);
    return false;
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
