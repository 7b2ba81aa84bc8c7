package io.github.vertxrdma.simulator.world;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Waiting;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Event loop of a simulated process. Runs tasks in virtual time and polls completion queues. It can be stopped, as by SIGSTOP, and killed.
 */
public class VirtualLoop {
  private final VirtualTime time;
  private final LongSupplier clock;
  private final SplittableRandom random;
  private final SimulatedWorkers workers;
  private final List<Poller> pollers = new ArrayList<>();
  private final Timers timers = new Timers();
  private final Deadlines deadlines = new Deadlines(this::nanoTime, timers);
  private boolean stopped;
  private boolean dead;
  private final Set<CompletableFuture<?>> blocking = new LinkedHashSet<>();
  private final List<Runnable> held = new ArrayList<>();

  public VirtualLoop(VirtualTime time, long seed) {
    this.time = time;
    this.clock = time.clock(seed);
    this.random = new SplittableRandom(seed);
    this.workers = new SimulatedWorkers(time, seed);
  }

  public long nanoTime() {
    return clock.getAsLong();
  }

  /** Runs a task in a later step. May be called from any loop. */
  public void execute(Runnable task) {
    time.after(0, () -> runLater(task));
  }

  /**
   * Runs a task after a delay. May be called from any loop.
   *
   * @return a call that cancels the task
   */
  public Runnable executeAfter(Runnable task, long delay, TimeUnit unit) {
    return time.after(unit.toNanos(delay), () -> runLater(task));
  }

  /** Returns whether the caller may use objects of the loop: a task of the loop, or the test between tasks. */
  public boolean inLoop() {
    return time.running == null || isRunning();
  }

  public boolean isRunning() {
    return time.running == this;
  }

  public Deadlines deadlines() {
    return deadlines;
  }

  /** Returns how many timers {@link #deadlines} has set. */
  public int timersSet() {
    return timers.number;
  }

  public RandomGenerator random() {
    return random;
  }

  protected void dispatch(Runnable task) {
    task.run();
  }

  private void runLater(Runnable task) {
    if (dead) {
      return;
    }
    if (stopped) {
      held.add(task);
    } else {
      Object before = time.running;
      time.running = this;
      try {
        dispatch(task);
      } finally {
        time.running = before;
      }
    }
  }

  /** Stops the loop. Tasks, timers and completions wait until {@link #resume}. */
  public void stop() {
    stopped = true;
  }

  public void resume() {
    stopped = false;
    List<Runnable> before = List.copyOf(held);
    held.clear();
    before.forEach(this::execute);
    pollers.forEach(Poller::wake);
  }

  public boolean isStopped() {
    return stopped;
  }

  /** Kills the loop. Waiting tasks, timers and completions never run, as after the end of the process. */
  public void kill() {
    dead = true;
    held.clear();
    workers.kill();
  }

  public boolean isDead() {
    return dead;
  }

  /** Lets a killed loop run again, so that a test can free its memory. Tasks that waited at the kill stay lost. */
  public void exhume() {
    dead = false;
    stopped = false;
    List.copyOf(blocking).forEach(work -> end(work, null, new IllegalStateException("its process has ended")));
    timers.exhume();
    pollers.forEach(Poller::exhume);
  }

  /**
   * Runs blocking work on a simulated worker thread, at a time that the seed determines.
   *
   * @return the result, completed on the loop
   */
  public <T> CompletableFuture<T> offload(Callable<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    blocking.add(done);
    if (!dead) {
      workers.execute(() -> {
        try {
          T result = work.call();
          execute(() -> end(done, result, null));
        } catch (Exception e) {
          execute(() -> end(done, null, e));
        }
      });
    }
    return done;
  }

  private <T> void end(CompletableFuture<T> work, T result, Exception failure) {
    blocking.remove(work);
    if (failure == null) {
      work.complete(result);
    } else {
      work.completeExceptionally(failure);
    }
  }

  public boolean isBlocking() {
    return !blocking.isEmpty();
  }

  /** May run offloaded work within a task of the loop. */
  void interrupt() {
    workers.interrupt();
  }

  /**
   * Polls a queue whenever completions may have arrived.
   *
   * @param completions receives the completions of each poll; the batch is valid until the call returns
   * @param turnEnd called after each poll, also without completions
   */
  public Poller poll(CompletionQueue queue, Consumer<CompletionBatch> completions, Runnable turnEnd) {
    Poller poller = new Poller(queue, completions, turnEnd);
    pollers.add(poller);
    if (queue.waiting() == Waiting.WAKEUP) {
      queue.wakeupHandler(poller::wake);
    }
    poller.wake();
    return poller;
  }

  private final class Timers implements Deadlines.Timers {
    private final SortedMap<Integer, Runnable> pending = new TreeMap<>();
    private int number;

    @Override
    public Runnable schedule(Runnable task, long nanos) {
      int timer = ++number;
      pending.put(timer, task);
      Runnable cancel = time.after(nanos, () -> fire(timer));
      return () -> {
        // Also cancels a due timer whose task waits while the loop is stopped.
        pending.remove(timer);
        cancel.run();
      };
    }

    private void fire(int timer) {
      runLater(() -> {
        Runnable task = pending.remove(timer);
        if (task != null) {
          task.run();
        }
      });
    }

    /** Fires all pending timers, because {@link #kill} may have dropped their tasks. */
    private void exhume() {
      List.copyOf(pending.keySet()).forEach(this::fire);
    }

    @Override
    public boolean inLoop() {
      return VirtualLoop.this.inLoop();
    }
  }

  public final class Poller {
    private static final int BATCH = 16;
    private static final int TICK_MILLIS = 10;
    /** Maximum delay before a poll, in nanoseconds. */
    private static final int PAUSE = 20_000;

    private final CompletionQueue queue;
    private final Consumer<CompletionBatch> completions;
    private final Runnable turnEnd;
    private final CompletionBatch batch;
    private boolean scheduled;
    private boolean ticking;
    private boolean detached;

    private Poller(CompletionQueue queue, Consumer<CompletionBatch> completions, Runnable turnEnd) {
      this.queue = queue;
      this.completions = completions;
      this.turnEnd = turnEnd;
      this.batch = new CompletionBatch(random.nextBoolean() ? BATCH : 1 + random.nextInt(BATCH));
    }

    /** Schedules a poll after a delay that the seed determines. */
    public void wake() {
      if (!scheduled && !detached) {
        scheduled = true;
        time.after(random.nextInt(PAUSE), () -> runLater(this::turn));
      }
    }

    public void detach() {
      detached = true;
      pollers.remove(this);
    }

    private void exhume() {
      scheduled = false;
      ticking = false;
      wake();
    }

    private void turn() {
      scheduled = false;
      if (detached) {
        return;
      }
      int found = queue.poll(batch);
      if (found > 0) {
        completions.accept(batch);
      }
      turnEnd.run();
      if (!scheduled && !detached && (found > 0 || !queue.arm())) {
        wake();
      }
      tick();
    }

    /** Polls periodically for completions that no wake-up announces. */
    private void tick() {
      if (!ticking && !detached && (queue.waiting() == Waiting.NONE || queue.unannounced() > 0)) {
        ticking = true;
        deadlines.set(() -> {
          ticking = false;
          wake();
        }, TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /**
   * Simulated worker threads for blocking work of a {@link VirtualLoop}. The seed determines when work runs, also within a task of the
   * loop. Work may overtake earlier work, and runs while the loop is stopped.
   */
  static final class SimulatedWorkers {
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
}
