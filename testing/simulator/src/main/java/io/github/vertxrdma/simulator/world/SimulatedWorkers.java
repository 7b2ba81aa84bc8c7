package io.github.vertxrdma.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Simulated worker threads for blocking work of a {@link VirtualLoop}. The seed determines when work runs, also within a task of the loop.
 * Work may overtake earlier work, and runs while the loop is stopped.
 */
final class SimulatedWorkers {
  private static final long SOON_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final VirtualTime time;
  private final SplittableRandom random;
  private final List<Runnable> waiting = new ArrayList<>();

  SimulatedWorkers(VirtualTime time, long seed) {
    this.time = time;
    this.random = new SplittableRandom(seed);
  }

  void execute(Runnable work) {
    int when = random.nextInt(8);
    if (when < 2) {
      run(work);
      return;
    }
    waiting.add(work);
    time.after(random.nextLong(when == 2 ? LATE_NANOS : SOON_NANOS), () -> {
      if (waiting.remove(work)) {
        run(work);
      }
    });
  }

  /** May run one waiting piece of work within a task of the loop. */
  void interrupt() {
    if (!waiting.isEmpty() && random.nextInt(4) == 0) {
      run(waiting.remove(random.nextInt(waiting.size())));
    }
  }

  void kill() {
    waiting.clear();
  }

  private void run(Runnable work) {
    Object before = time.running;
    time.running = this;
    try {
      work.run();
    } finally {
      time.running = before;
    }
  }
}
