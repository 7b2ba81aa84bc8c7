package io.github.vertxrdma.impl.loop;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Clock, tasks, timers and randomness of one loop: an event loop's in production, virtual time and a seed in a simulation. Tasks and timers
 * run one after the other on the loop's thread. Confined to that thread, except where a method says so.
 */
public interface Scheduler {

  /** A timer that has not fired. */
  interface Timer {
    /** Keeps it from firing. Idempotent. */
    void cancel();
  }

  /** Nanoseconds since some moment; only differences count. Any thread. */
  long nanoTime();

  /** Runs a task in a later step of the loop. Any thread. */
  void execute(Runnable task);

  /** Tells whether the caller is on the loop's thread. Any thread. */
  boolean inLoop();

  /** Runs a task after a delay. Any thread. */
  Timer schedule(Runnable task, long delay, TimeUnit unit);

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
