package io.github.vertxrdma.simulator.world;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Simulated clock and scheduler. Runs the tasks of all simulated loops in one thread, in the order of their due times. */
public final class VirtualTime {
  /** Maximum time until a clock overflows. */
  private static final long WRAP_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final class Event {
    final long at;
    final long number;
    Runnable task;

    Event(long at, long number, Runnable task) {
      this.at = at;
      this.number = number;
      this.task = task;
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>(
    Comparator.<Event>comparingLong(event -> event.at).thenComparingLong(event -> event.number));
  private long now;
  private long steps;
  private long numbers;
  /** The {@link VirtualLoop} or {@link VirtualLoop.SimulatedWorkers} whose task is running; null between tasks. */
  Object running;

  /** Returns nanoseconds since the beginning of the simulation. */
  public long now() {
    return now;
  }

  /** Returns a clock in nanoseconds that overflows early in the simulation. Only differences of its values are meaningful. */
  public LongSupplier clock(long seed) {
    long ahead = Long.MAX_VALUE - new SplittableRandom(~seed).nextLong(WRAP_NANOS);
    return () -> now + ahead;
  }

  /** @return a call that cancels the task */
  public Runnable after(long nanos, Runnable task) {
    Event event = new Event(now + Math.max(0, nanos), numbers++, task);
    events.add(event);
    return () -> event.task = null;
  }

  /** Runs the next task. @return false if there is none */
  public boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    now = Math.max(now, next.at);
    Runnable task = next.task;
    if (task != null) {
      next.task = null;
      steps++;
      task.run();
    }
    return true;
  }

  /** Runs the next task that is due by a time. @return false if there is none; the clock is then at {@code until} */
  public boolean stepUntil(long until) {
    if (events.isEmpty() || events.peek().at > until) {
      now = Math.max(now, until);
      return false;
    }
    return step();
  }

  /**
   * Runs tasks until the time has passed or the condition is false.
   *
   * @param most maximum number of tasks since the beginning of the simulation
   * @throws AssertionError if more tasks ran
   */
  public void passWhile(BooleanSupplier wanted, long nanos, long most) {
    long until = now + nanos;
    while (wanted.getAsBoolean() && stepUntil(until)) {
      if (steps > most) {
        throw new AssertionError("the simulation does not end");
      }
    }
  }

  /** Runs the tasks that are due within a time in nanoseconds, and advances the clock by this time. */
  public void pass(long nanos) {
    long until = now + nanos;
    while (stepUntil(until)) {
      // Runs all tasks that are due.
    }
  }

  /** Runs the tasks that are due now. */
  public void settle() {
    pass(0);
  }

  public long steps() {
    return steps;
  }

  public int pending() {
    return (int) events.stream().filter(event -> event.task != null).count();
  }
}
