package io.github.vertxrdma.base;

import java.util.concurrent.RejectedExecutionException;

/**
 * A task that runs at a time, set in {@link Deadlines}. The owner reuses one object: setting and cancelling allocate nothing. Confined to
 * the thread of its {@link Deadlines}.
 */
public abstract class Deadline {
  /** Deadlines in which this one is set; null if it is not set. */
  Deadlines deadlines;
  /** Index in the heap of {@link #deadlines}. */
  int index;
  /** Sequence number of setting, which orders deadlines of the same time. */
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

  /** Called once, at or after the time that was set. The deadline is then unset, and this method may set it again. */
  protected abstract void expired();

  /** Returns whether this deadline will expire unless it is cancelled. */
  public final boolean isSet() {
    return deadlines != null;
  }

  /** Returns the time that was last set, in nanoseconds of the clock. */
  public final long at() {
    return at;
  }

  /**
   * Cancels this deadline. Has no effect if it is not set, or if the loop has terminated.
   *
   * @throws RejectedExecutionException on another thread while the loop shuts down
   * @throws IllegalStateException on another thread while the loop runs
   */
  public final void cancel() {
    if (deadlines != null) {
      deadlines.remove(this);
    }
  }
}
