package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.Deadlines;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Clock, tasks, deadlines and randomness of one loop: an event loop's in production, virtual time and a seed in a simulation. Tasks and
 * deadlines run one after the other on the loop's thread. Confined to that thread, except where a method says so.
 */
public interface Scheduler {

  /** Nanoseconds since some moment; only differences count. Any thread. */
  long nanoTime();

  /** Runs a task in a later step of the loop. Any thread. */
  void execute(Runnable task);

  /** Tells whether the caller is on the loop's thread. Any thread. */
  boolean inLoop();

  /** Returns the deadlines of the loop. Confined to the loop, as the deadlines are. */
  Deadlines deadlines();

  /** Runs a task after a delay. */
  default Deadline schedule(Runnable task, long delay, TimeUnit unit) {
    return deadlines().set(task, delay, unit);
  }

  /** Source of nonces, ids and handles; secure in production. */
  RandomGenerator random();

  /** Runs a task at once on the loop's thread, else as {@link #execute} does. Any thread. */
  default void run(Runnable task) {
    if (inLoop()) {
      task.run();
    } else {
      execute(task);
    }
  }
}
