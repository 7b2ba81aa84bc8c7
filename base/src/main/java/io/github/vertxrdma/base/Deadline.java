package io.github.vertxrdma.base;

import java.util.concurrent.RejectedExecutionException;

/**
 * A task with a time at which it runs, set in {@link Deadlines}. The owner keeps one object and sets it many times: setting and cancelling
 * allocate nothing. Confined to the thread of its {@link Deadlines}.
 */
public abstract class Deadline {
  /** Null if this deadline is not set. */
  Deadlines deadlines;
  /** Index in the heap of {@link #deadlines}. */
  int index;
  /** Number of the call that set this deadline, which orders deadlines of the same time. */
  long sequence;
  long at;

  /** Returns a deadline that runs a task. */
  public static Deadline of(Runnable task) {
    return new Deadline() {
      @Override
      protected void expired() {
        task.run();
      }
    };
  }

  /** Called once at or after the time that was set. The deadline is no longer set then, and may be set again by this method. */
  protected abstract void expired();

  /** Returns whether this deadline will expire unless it is cancelled. */
  public final boolean isSet() {
    return deadlines != null;
  }

  /** Returns the time that was last set, in nanoseconds of the clock of its {@link Deadlines}. */
  public final long at() {
    return at;
  }

  /**
   * Cancels this deadline. Has no effect if it is not set, or if its loop has terminated.
   *
   * @throws RejectedExecutionException if the loop is shutting down and the caller is not on its thread
   * @throws IllegalStateException if the caller is not on the thread of the loop
   */
  public final void cancel() {
    if (deadlines != null) {
      deadlines.remove(this);
    }
  }
}
