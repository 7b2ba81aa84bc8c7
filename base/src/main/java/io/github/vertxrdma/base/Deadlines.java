package io.github.vertxrdma.base;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The deadlines of one loop, in a binary heap. Confined to the thread of the loop.
 *
 * <p>At most one timer of the loop is set at a time, and none is set while there is no deadline. A timer that was set for a deadline which
 * was cancelled since stays and fires once without effect. So a deadline that is set and cancelled for each message costs no timer
 * operations.
 *
 * <p>An owner that looks at the clock by itself uses no timer: it calls {@link #run} and sleeps at most {@link #nanosToNext}.
 */
public final class Deadlines {

  /** Sets timers of a loop. */
  @FunctionalInterface
  public interface Timers {
    /** Runs a task on the loop after a delay in nanoseconds. @return cancels the timer; has no effect after it fired */
    Runnable schedule(Runnable task, long nanos);

    /** Returns whether the caller is on the thread of the loop. Only assertions ask. */
    default boolean inLoop() {
      return true;
    }
  }

  private static final int INITIAL_CAPACITY = 8;

  private final LongSupplier clock;
  private final Timers timers;
  private final Runnable fired = this::fired;
  private Deadline[] heap = new Deadline[INITIAL_CAPACITY];
  private int size;
  private long sequence;
  /** Cancels the timer that is set; null if none is set. */
  private Runnable timer;
  private long timerAt;
  /** Whether {@link #run} was called by the timer and has not returned: it sets the next timer when it returns. */
  private boolean firing;

  /** Creates deadlines that expire by themselves. @param clock returns nanoseconds, of which only differences count */
  public Deadlines(LongSupplier clock, Timers timers) {
    this.clock = clock;
    this.timers = timers;
  }

  /** Creates deadlines that expire when their owner calls {@link #run}. @param clock as above */
  public Deadlines(LongSupplier clock) {
    this(clock, null);
  }

  /** Sets a deadline, or moves one that is set. @param delay from now; 0 or less for the next turn of the loop */
  public void set(Deadline deadline, long delay, TimeUnit unit) {
    setAt(deadline, clock.getAsLong() + Math.clamp(unit.toNanos(delay), 0, Long.MAX_VALUE / 2));
  }

  /** Sets a deadline, or moves one that is set. @param at in nanoseconds of the clock */
  public void setAt(Deadline deadline, long at) {
    if (deadline.deadlines != null && deadline.deadlines != this) {
      throw new IllegalStateException("cannot set a deadline: it is set in another loop. Cancel it there before");
    }
    assert isInLoop();
    deadline.at = at;
    deadline.sequence = ++sequence;
    if (deadline.deadlines == null) {
      deadline.deadlines = this;
      if (size == heap.length) {
        heap = Arrays.copyOf(heap, 2 * size);
      }
      siftUp(deadline, size++);
    } else {
      replace(deadline, deadline.index);
    }
    if (heap[0] == deadline) {
      setTimer();
    }
  }

  /** Sets a new deadline that runs a task. Allocates: for tasks that are rare. */
  public Deadline set(Runnable task, long delay, TimeUnit unit) {
    Deadline deadline = Deadline.of(task);
    set(deadline, delay, unit);
    return deadline;
  }

  /** Returns the number of deadlines that are set. */
  public int size() {
    return size;
  }

  /** Returns the nanoseconds until the next deadline, 0 if it is due, {@link Long#MAX_VALUE} if there is none. */
  public long nanosToNext() {
    return size == 0 ? Long.MAX_VALUE : Math.max(0, heap[0].at - clock.getAsLong());
  }

  /**
   * Calls the deadlines that are due, in the order of their times, those of the same time in the order in which they were set. A deadline
   * that is set meanwhile expires at the next call at the earliest. An exception of a deadline is thrown; the next call goes on with the
   * deadlines after it.
   */
  public void run() {
    if (size == 0) {
      return;
    }
    long now = clock.getAsLong();
    long last = sequence;
    while (size > 0 && heap[0].at - now <= 0 && heap[0].sequence - last <= 0) {
      Deadline first = heap[0];
      remove(first);
      first.expired();
    }
  }

  private void fired() {
    timer = null;
    firing = true;
    try {
      run();
    } finally {
      firing = false;
      if (size > 0) {
        setTimer();
      }
    }
  }

  private void setTimer() {
    if (timers == null || firing || timer != null && heap[0].at - timerAt >= 0) {
      return;
    }
    if (timer != null) {
      timer.run();
    }
    timerAt = heap[0].at;
    timer = timers.schedule(fired, nanosToNext());
  }

  private boolean isInLoop() {
    return timers == null || timers.inLoop();
  }

  void remove(Deadline deadline) {
    assert isInLoop();
    deadline.deadlines = null;
    Deadline last = heap[--size];
    heap[size] = null;
    if (last != deadline) {
      replace(last, deadline.index);
    }
  }

  /** Puts a deadline where another one was, or where it was itself with another time. */
  private void replace(Deadline deadline, int index) {
    siftUp(deadline, index);
    siftDown(deadline, deadline.index);
  }

  private void siftUp(Deadline deadline, int from) {
    int index = from;
    while (index > 0) {
      int parent = index - 1 >>> 1;
      if (!isBefore(deadline, heap[parent])) {
        break;
      }
      put(heap[parent], index);
      index = parent;
    }
    put(deadline, index);
  }

  private void siftDown(Deadline deadline, int from) {
    int index = from;
    for (int child; (child = 2 * index + 1) < size; index = child) {
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], deadline)) {
        break;
      }
      put(heap[child], index);
    }
    put(deadline, index);
  }

  private void put(Deadline deadline, int index) {
    heap[index] = deadline;
    deadline.index = index;
  }

  private static boolean isBefore(Deadline one, Deadline other) {
    long difference = one.at - other.at;
    return difference < 0 || difference == 0 && one.sequence - other.sequence < 0;
  }
}
