package io.github.vertxrdma.impl.poll;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * Processors and threads in virtual time, in nanoseconds. A thread runs in steps. The scheduler gives a processor to the next thread in its
 * queue when the running one sleeps or yields, or when its time slice has ended. A thread that wakes up takes a free processor, or waits in
 * a queue, where it sometimes preempts the running thread.
 */
final class SimulatedMachine {
  static final long SLICE = 3_000_000;
  private static final long SWITCH = 1_500;

  enum End { RUNS, YIELDS, SLEEPS }

  abstract static class Task {
    End end = End.RUNS;
    long ran;
    private boolean awake;
    private boolean wakeAgain;

    /**
     * Runs a step and sets {@link #end}.
     *
     * @return duration of the step, more than 0
     */
    abstract long step(long now);
  }

  private final class Core {
    private final Deque<Task> queue = new ArrayDeque<>();
    private Task running;
    private long sliceEnd;
    private long stolen;

    void add(Task task, boolean first) {
      if (first) {
        queue.addFirst(task);
      } else {
        queue.add(task);
      }
      if (running == null) {
        running = queue.poll();
        sliceEnd = now + SLICE;
        at(now + wakeNanos, this::step);
      }
    }

    void step() {
      long took = Math.max(1, running.step(now));
      running.ran += took;
      long gap = stolen;
      stolen = 0;
      at(now + took + gap, this::stepped);
    }

    void stepped() {
      Task task = running;
      boolean leaves = task.end == End.SLEEPS;
      if (leaves && task.wakeAgain) {
        task.wakeAgain = false;
        leaves = false;
      }
      if (!leaves && (queue.isEmpty() || task.end == End.RUNS && now < sliceEnd)) {
        step();
        return;
      }
      if (leaves) {
        task.awake = false;
      } else {
        queue.add(task);
      }
      running = queue.isEmpty() ? takeFromOthers() : queue.poll();
      sliceEnd = now + SLICE;
      if (running != null) {
        at(now + SWITCH, this::step);
      }
    }

    private Task takeFromOthers() {
      for (Core core : cores) {
        if (!core.queue.isEmpty()) {
          return core.queue.poll();
        }
      }
      return null;
    }
  }

  private record Event(long time, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return time == other.time ? Long.compare(order, other.order) : Long.compare(time, other.time);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Core> cores = new ArrayList<>();
  private final Random random;
  private final long wakeNanos;
  private long order;
  long now;

  /** @param wakeNanos from a wake-up to the first step on a free processor */
  SimulatedMachine(int processors, long wakeNanos, Random random) {
    this.wakeNanos = wakeNanos;
    this.random = random;
    for (int i = 0; i < processors; i++) {
      cores.add(new Core());
    }
  }

  void at(long time, Runnable action) {
    events.add(new Event(time, order++, action));
  }

  void wake(Task task) {
    if (task.awake) {
      task.wakeAgain = task.end == End.SLEEPS;
      return;
    }
    task.awake = true;
    task.wakeAgain = false;
    Core best = null;
    for (Core core : cores) {
      if (best == null || load(core) < load(best)) {
        best = core;
      }
    }
    boolean preempts = best.running != null && random.nextInt(10) < 7;
    if (preempts) {
      best.sliceEnd = now;
    }
    best.add(task, preempts);
  }

  private static int load(Core core) {
    return core.queue.size() + (core.running == null ? 0 : 1);
  }

  /** Takes a processor from its threads, as a hypervisor does. */
  void steal(long nanos) {
    cores.get(random.nextInt(cores.size())).stolen += nanos;
  }

  long next() {
    return events.isEmpty() ? Long.MAX_VALUE : events.peek().time;
  }

  void run(long until) {
    while (!events.isEmpty() && events.peek().time <= until) {
      Event event = events.poll();
      now = event.time;
      event.action.run();
    }
  }
}
