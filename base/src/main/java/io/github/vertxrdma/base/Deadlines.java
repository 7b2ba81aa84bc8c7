package io.github.vertxrdma.base;

import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Deadlines of one event loop, in a binary heap. Confined to the thread of the loop.
 *
 * <p>The loop has at most two timers at a time. The timer of a cancelled deadline fires once without effect, so that setting and cancelling
 * a deadline for each message needs no timer operations. The second timer serves earlier deadlines, so that the timer of a late one stays
 * set.
 *
 * <p>Without timers, the owner calls {@link #run} itself and sleeps at most {@link #nanosToNext}.
 */
public final class Deadlines {

  public interface Timers {
    /**
     * Runs a task on the loop after a delay in nanoseconds.
     *
     * @return action that cancels the timer; has no effect after the timer has fired
     */
    Runnable schedule(Runnable task, long nanos);

    /** Returns whether the caller is on the thread of the loop. Called for each setting and cancelling. */
    boolean inLoop();

    /** Returns whether the loop is shutting down or has terminated. Thread-safe. */
    default boolean isShuttingDown() {
      return false;
    }

    /** Returns whether the loop has terminated, so that no deadline expires any more. Thread-safe. */
    default boolean isTerminated() {
      return false;
    }
  }

  private static final int INITIAL_CAPACITY = 8;

  private final LongSupplier clock;
  private final Timers timers;
  private final Timer first = new Timer();
  private final Timer second = new Timer();
  private Deadline[] heap = new Deadline[INITIAL_CAPACITY];
  private int size;
  private long sequence;
  /** True while a timer calls {@link #run}, which sets the next timer after all due deadlines. */
  private boolean firing;

  /**
   * Creates deadlines that expire by timers.
   *
   * @param clock returns nanoseconds since any origin
   */
  public Deadlines(LongSupplier clock, Timers timers) {
    this.clock = clock;
    this.timers = timers;
  }

  /** Creates deadlines that expire when the owner calls {@link #run}. */
  public Deadlines(LongSupplier clock) {
    this(clock, null);
  }

  /**
   * Sets or moves a deadline.
   *
   * @param delay from now; 0 or less for as soon as possible
   */
  public void set(Deadline deadline, long delay, TimeUnit unit) {
    setAt(deadline, clock.getAsLong() + Math.clamp(unit.toNanos(delay), 0, Long.MAX_VALUE / 2));
  }

  /**
   * Sets or moves a deadline. If the loop refuses the timer, the deadline is not set.
   *
   * @param at in nanoseconds of the clock
   * @throws RejectedExecutionException on another thread while the loop shuts down
   * @throws IllegalStateException on another thread while the loop runs, or if the deadline is set in another loop
   */
  public void setAt(Deadline deadline, long at) {
    if (deadline.deadlines != null && deadline.deadlines != this) {
      throw new IllegalStateException("cannot set a deadline: it is set in another loop. Cancel it there first");
    }
    if (isOutside()) {
      throw misused("set", timers.isShuttingDown());
    }
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
    try {
      setTimer();
    } catch (Throwable e) {
      removeFromHeap(deadline);
      throw e;
    }
  }

  /** Sets a new deadline that runs a task. Allocates an object, so use it for rare tasks. */
  public Deadline set(Runnable task, long delay, TimeUnit unit) {
    Deadline deadline = Deadline.of(task);
    set(deadline, delay, unit);
    return deadline;
  }

  public int size() {
    return size;
  }

  /** Returns the nanoseconds until the next deadline: 0 if it has passed, {@link Long#MAX_VALUE} if there is none. */
  public long nanosToNext() {
    return size == 0 ? Long.MAX_VALUE : Math.max(0, heap[0].at - clock.getAsLong());
  }

  /**
   * Calls due deadlines in the order of their times, then of setting. A deadline that is set meanwhile expires in a later call. If a
   * deadline throws, the next call continues after it.
   */
  public void run() {
    if (size == 0) {
      return;
    }
    long now = clock.getAsLong();
    long last = sequence;
    while (size > 0 && heap[0].at - now <= 0 && heap[0].sequence - last <= 0) {
      Deadline due = heap[0];
      removeFromHeap(due);
      due.expired();
    }
  }

  /** Sets a timer for the first deadline, unless a timer fires by that time. */
  private void setTimer() {
    if (timers == null || firing || first.firesBy(heap[0].at) || second.firesBy(heap[0].at)) {
      return;
    }
    boolean takesFirst = first.cancel == null || second.cancel != null && first.at - second.at < 0;
    (takesFirst ? first : second).set(heap[0].at);
  }

  private final class Timer implements Runnable {
    /** Action that cancels the timer; null if the timer is not set. */
    private Runnable cancel;
    private long at;

    boolean firesBy(long time) {
      return cancel != null && at - time <= 0;
    }

    void stop() {
      Runnable before = cancel;
      cancel = null;
      if (before != null) {
        before.run();
      }
    }

    void set(long time) {
      stop();
      at = time;
      cancel = timers.schedule(this, Math.max(0, time - clock.getAsLong()));
    }

    @Override
    public void run() {
      cancel = null;
      firing = true;
      try {
        Deadlines.this.run();
      } finally {
        firing = false;
        if (size > 0) {
          setTimer();
        } else {
          first.stop();
          second.stop();
        }
      }
    }
  }

  private boolean isOutside() {
    return timers != null && !timers.inLoop();
  }

  /**
   * Returns the exception for a call on another thread.
   *
   * @param ending true if the loop is shutting down
   */
  public static RuntimeException misused(String call, boolean ending) {
    return ending ? new RejectedExecutionException("cannot " + call + " a deadline: its loop is shutting down")
      : new IllegalStateException("cannot " + call + " a deadline: the caller is not on the thread of its loop. Make the call in a "
        + "task of"
        + " the loop");
  }

  void remove(Deadline deadline) {
    if (isOutside()) {
      if (timers.isTerminated()) {
        // No thread owns the heap now. It keeps the deadline, which never expires.
        deadline.deadlines = null;
        return;
      }
      throw misused("cancel", timers.isShuttingDown());
    }
    removeFromHeap(deadline);
  }

  private void removeFromHeap(Deadline deadline) {
    deadline.deadlines = null;
    Deadline last = heap[--size];
    heap[size] = null;
    if (last != deadline) {
      replace(last, deadline.index);
    }
  }

  /** Puts a deadline at an index, then restores the order of the heap. */
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
