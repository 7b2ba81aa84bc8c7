package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.Deadlines;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Clock, tasks, deadlines and random numbers of one loop. Simulations replace it. Confined to the loop unless noted. */
public interface Scheduler extends Executor {

  /** Returns nanoseconds from an arbitrary origin. Thread-safe. */
  long nanoTime();

  @Override
  void execute(Runnable task);

  boolean inLoop();

  Deadlines deadlines();

  default Deadline schedule(Runnable task, long delay, TimeUnit unit) {
    return deadlines().set(task, delay, unit);
  }

  RandomGenerator random();

  /** Runs a task immediately on the loop's thread, otherwise later. Returns false if the loop has terminated. Thread-safe. */
  default boolean run(Runnable task) {
    if (inLoop()) {
      task.run();
      return true;
    }
    return LoopCall.execute(this, task);
  }
}
