package io.github.vertxrdma.simulator;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Time that passes when nothing is left to do: the tasks and timers of all loops of a simulated world, run in one thread in their order.
 */
public final class VirtualTime {

  /** Something that is due. */
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
  /** The loop whose task is running, or the workers beside it; null for none. */
  Object running;

  /** Nanoseconds since the beginning. */
  public long now() {
    return now;
  }

  /** Runs a task after a delay. @return cancels it */
  public Runnable after(long nanos, Runnable task) {
    Event event = new Event(now + Math.max(0, nanos), numbers++, task);
    events.add(event);
    return () -> event.task = null;
  }

  /** Runs what is due next, as far in the future as it may be. @return false if there is nothing */
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

  /** Runs what is due next if it is due by a time. @return false if nothing is: then it is that time */
  public boolean stepUntil(long until) {
    if (events.isEmpty() || events.peek().at > until) {
      now = Math.max(now, until);
      return false;
    }
    return step();
  }

  /**
   * Runs what is due within a time as long as that is wanted.
   *
   * @param most tasks that may run from the beginning on
   * @throws AssertionError if more ran
   */
  public void passWhile(BooleanSupplier wanted, long nanos, long most) {
    long until = now + nanos;
    while (wanted.getAsBoolean() && stepUntil(until)) {
      if (steps > most) {
        throw new AssertionError("it does not come to an end");
      }
    }
  }

  /** Runs what is due within a time, and lets it pass. */
  public void pass(long nanos) {
    long until = now + nanos;
    while (!events.isEmpty() && events.peek().at <= until) {
      step();
    }
    now = until;
  }

  /** Runs what is due now. */
  public void settle() {
    pass(0);
  }

  /** Tasks that ran. */
  public long steps() {
    return steps;
  }

  /** Events that are still to come. */
  public int pending() {
    return (int) events.stream().filter(event -> event.task != null).count();
  }
}
