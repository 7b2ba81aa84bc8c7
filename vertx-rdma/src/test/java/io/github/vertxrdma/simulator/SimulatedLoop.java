package io.github.vertxrdma.simulator;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.impl.loop.CompletionHandler;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.loop.QueuePoller;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Waiting;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** One loop of a simulated world: virtual time, a seed, and queues that are polled when something may have come. */
public class SimulatedLoop implements LoopHost {
  private final VirtualTime time;
  private final SplittableRandom random;
  private final SimulatedWorkers workers;
  private final List<Poller> pollers = new ArrayList<>();
  private ContextInternal context;
  private final Timers timers = new Timers();
  private final Deadlines deadlines = new Deadlines(this::nanoTime, timers);
  private boolean stopped;
  private boolean dead;
  /** Work off it that is not known to be done. */
  private final Set<Promise<?>> blocking = new LinkedHashSet<>();
  /** Tasks that came while it stood still. */
  private final List<Runnable> held = new ArrayList<>();

  public SimulatedLoop(VirtualTime time, long seed) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.workers = new SimulatedWorkers(time, seed);
  }

  /** Sets the context that stands on the loop. */
  public void context(ContextInternal value) {
    context = value;
  }

  @Override
  public long nanoTime() {
    return time.now();
  }

  @Override
  public void execute(Runnable task) {
    time.after(0, () -> runLater(task));
  }

  /** Runs a task on the loop after a delay. Any loop may be running. @return cancels it */
  Runnable executeAfter(Runnable task, long delay, TimeUnit unit) {
    return time.after(unit.toNanos(delay), () -> runLater(task));
  }

  @Override
  public boolean inLoop() {
    // One thread runs all loops of a world, and the test itself between their tasks.
    return time.running == null || isRunning();
  }

  @Override
  public Deadlines deadlines() {
    return deadlines;
  }

  /** Returns how many timers were set for the deadlines. */
  int timersSet() {
    return timers.number;
  }

  private final class Timers implements Deadlines.Timers {
    /** Tasks of the timers that are set, by the number of the timer. */
    private final SortedMap<Integer, Runnable> pending = new TreeMap<>();
    private int number;

    @Override
    public Runnable schedule(Runnable task, long nanos) {
      int timer = ++number;
      pending.put(timer, task);
      Runnable cancel = time.after(nanos, () -> fire(timer));
      return () -> {
        // The timer may be due and wait with other tasks, if the loop is stopped.
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

    /** Fires timers that may have been lost. */
    private void exhume() {
      List.copyOf(pending.keySet()).forEach(this::fire);
    }

    @Override
    public boolean inLoop() {
      return SimulatedLoop.this.inLoop();
    }
  }

  private void runLater(Runnable task) {
    if (dead) {
      return;
    }
    if (stopped) {
      held.add(task);
    } else {
      Object before = time.running;
      ContextInternal current = context;
      ContextInternal previous = current == null ? null : current.beginDispatch();
      time.running = this;
      try {
        task.run();
      } finally {
        time.running = before;
        if (current != null) {
          current.endDispatch(previous);
        }
      }
    }
  }

  /** Tells whether what runs now is a task of it. */
  boolean isRunning() {
    return time.running == this;
  }

  /** Lets the loop stand still: its tasks, timers and completions wait. */
  public void stop() {
    stopped = true;
  }

  /** Lets it go on. */
  public void resume() {
    stopped = false;
    List<Runnable> before = List.copyOf(held);
    held.clear();
    before.forEach(this::execute);
    pollers.forEach(Poller::wake);
  }

  /** Returns whether its process has ended. */
  boolean isDead() {
    return dead;
  }

  public boolean isStopped() {
    return stopped;
  }

  /** Ends it as the end of its process does: nothing that waits for it ever runs. */
  public void kill() {
    dead = true;
    held.clear();
    workers.kill();
  }

  /** Lets it run again after its death, for its memory to be freed; what was lost with it stays lost. */
  public void exhume() {
    dead = false;
    stopped = false;
    List.copyOf(blocking).forEach(promise -> promise.tryFail("its process has ended"));
    timers.exhume();
    pollers.forEach(Poller::exhume);
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public ContextInternal context() {
    return context;
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    Promise<T> promise = Promise.promise();
    blocking.add(promise);
    promise.future().onComplete(done -> blocking.remove(promise));
    if (dead) {
      return promise.future();
    }
    workers.execute(() -> {
      try {
        T result = work.call();
        execute(() -> promise.tryComplete(result));
      } catch (Exception e) {
        execute(() -> promise.tryFail(e));
      }
    });
    return promise.future();
  }

  /** Tells whether work off it is under way. */
  boolean isBlocking() {
    return !blocking.isEmpty();
  }

  /** A task of it is in the middle of a call: work off it may be done meanwhile. */
  void interrupt() {
    workers.interrupt();
  }

  @Override
  public Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler) {
    Poller poller = new Poller(queue, handler);
    pollers.add(poller);
    if (queue.waiting() == Waiting.WAKEUP) {
      queue.wakeupHandler(poller::wake);
    }
    poller.wake();
    return Future.succeededFuture(poller);
  }

  /** Polls one queue. */
  private final class Poller implements QueuePoller {
    private static final int BATCH = 16;
    private static final int TICK_MILLIS = 10;
    /** Longest pause before a turn, in nanoseconds. */
    private static final int PAUSE = 20_000;

    private final CompletionQueue queue;
    private final CompletionHandler handler;
    private final CompletionBatch batch;
    private boolean scheduled;
    private boolean ticking;
    private boolean detached;

    Poller(CompletionQueue queue, CompletionHandler handler) {
      this.queue = queue;
      this.handler = handler;
      this.batch = new CompletionBatch(random.nextBoolean() ? BATCH : 1 + random.nextInt(BATCH));
    }

    @Override
    public void wake() {
      if (!scheduled && !detached) {
        scheduled = true;
        time.after(random.nextInt(PAUSE), () -> runLater(this::turn));
      }
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
        handler.completions(batch);
      }
      handler.turnEnd();
      if (!scheduled && !detached && (found > 0 || !queue.arm())) {
        wake();
      }
      tick();
    }

    /** Looks from time to time at what nothing tells of. */
    private void tick() {
      if (!ticking && !detached && (queue.waiting() == Waiting.NONE || queue.unannounced() > 0)) {
        ticking = true;
        schedule(() -> {
          ticking = false;
          wake();
        }, TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public byte[] wakeAddress() {
      return new byte[0];
    }

    @Override
    public void unwakeable(int change) {
    }

    @Override
    public void busy(int change) {
    }

    @Override
    public Future<Void> detach() {
      detached = true;
      pollers.remove(this);
      return Future.succeededFuture();
    }
  }
}
