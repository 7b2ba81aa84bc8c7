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
 * A loop of a simulated process, which runs tasks in virtual time and polls queues when completions may have come. It can be stopped, as
 * by a signal, and killed.
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
  /** Results of {@link #offload} that are not completed. */
  private final Set<CompletableFuture<?>> blocking = new LinkedHashSet<>();
  private final List<Runnable> held = new ArrayList<>();

  /** @param seed determines when the loop polls and when offloaded work runs */
  public VirtualLoop(VirtualTime time, long seed) {
    this.time = time;
    this.clock = time.clock(seed);
    this.random = new SplittableRandom(seed);
    this.workers = new SimulatedWorkers(time, seed);
  }

  /** Returns nanoseconds of the loop's {@link VirtualTime#clock}. */
  public long nanoTime() {
    return clock.getAsLong();
  }

  /** Runs a task in a later step. Any loop may be running. */
  public void execute(Runnable task) {
    time.after(0, () -> runLater(task));
  }

  /**
   * Runs a task after a delay. Any loop may be running.
   *
   * @return cancels the task
   */
  public Runnable executeAfter(Runnable task, long delay, TimeUnit unit) {
    return time.after(unit.toNanos(delay), () -> runLater(task));
  }

  /** Returns whether the caller may use objects of the loop: in a task of the loop, and in the test between tasks. */
  public boolean inLoop() {
    return time.running == null || isRunning();
  }

  public boolean isRunning() {
    return time.running == this;
  }

  public Deadlines deadlines() {
    return deadlines;
  }

  /** Returns the number of timers that the deadlines have set. */
  public int timersSet() {
    return timers.number;
  }

  /** Returns random numbers that the seed determines. */
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

  /** Stops the loop. Tasks, timers and completions wait for {@link #resume}. */
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

  /** Kills the loop: nothing that waits for it will run, as after the end of its process. */
  public void kill() {
    dead = true;
    held.clear();
    workers.kill();
  }

  public boolean isDead() {
    return dead;
  }

  /** Lets a killed loop run, so that a test can free its memory. Lost tasks stay lost. */
  public void exhume() {
    dead = false;
    stopped = false;
    List.copyOf(blocking).forEach(work -> end(work, null, new IllegalStateException("its process has ended")));
    timers.exhume();
    pollers.forEach(Poller::exhume);
  }

  /**
   * Runs work outside of the loop's tasks, at a time that the seed determines.
   *
   * @return completed on the loop
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

  /** Returns whether some offloaded work has not completed. */
  public boolean isBlocking() {
    return !blocking.isEmpty();
  }

  /** Runs offloaded work in the middle of a task, if the seed determines that. */
  void interrupt() {
    workers.interrupt();
  }

  /**
   * @param completions receives the completions of a turn, which is a poll of the queue, in a batch that is valid until the call returns
   * @param turnEnd called at the end of each turn, also if it found nothing
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
    /** Tasks of the set timers, by number. */
    private final SortedMap<Integer, Runnable> pending = new TreeMap<>();
    private int number;

    @Override
    public Runnable schedule(Runnable task, long nanos) {
      int timer = ++number;
      pending.put(timer, task);
      Runnable cancel = time.after(nanos, () -> fire(timer));
      return () -> {
        // A due timer may wait with other tasks of a stopped loop.
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

    /** Fires the set timers, whose tasks may have been lost. */
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
    /** Longest pause before a turn, in nanoseconds. */
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

    /** Requests a turn after a pause that the seed determines. */
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
}
