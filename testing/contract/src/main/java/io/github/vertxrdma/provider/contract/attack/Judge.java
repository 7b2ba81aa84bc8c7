package io.github.vertxrdma.provider.contract.attack;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Watches an attacked process from within: pauses of its loops that do not wait for a processor, the heap that a garbage collection leaves,
 * and the lines of its log, which are not printed.
 */
public final class Judge {
  /** Nanoseconds that a loop may pause while this class's thread runs, without those in which the loop waits for a processor. */
  private static final long LONGEST_PAUSE = 1_000_000_000L;
  private static final long EVERY_MILLIS = 5;
  private static final int LINES = 100;
  private static final int LINES_EACH_SECOND = 20;
  private static final int LONGEST_LINE = 2000;
  /** Strong reference, because a garbage-collected logger loses its handler. */
  private static final Logger LOG = Logger.getLogger("");

  private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

  private final List<Watched> loops;
  private final AtomicReference<String> broken = new AtomicReference<>();
  private final AtomicInteger lines = new AtomicInteger();
  private final long begin = System.nanoTime();

  private final class Watched {
    private final Executor loop;
    private volatile boolean ran = true;
    /** Thread of the loop, or null before the first task has run. */
    private volatile LoopThread thread;
    /** Nanoseconds of the loop's pause since the task was submitted. */
    private long waited;

    Watched(Executor loop) {
      this.loop = loop;
    }

    private void run() {
      if (thread == null) {
        thread = LoopThread.current();
      }
      ran = true;
    }

    void look(long nanos) {
      if (ran) {
        ran = false;
        waited = 0;
        loop.execute(this::run);
      } else if ((waited += thread == null ? nanos : thread.paused(nanos)) > LONGEST_PAUSE) {
        broken.compareAndSet(null, "a loop has paused for more than " + TimeUnit.NANOSECONDS.toMillis(LONGEST_PAUSE) + " ms");
      }
    }
  }

  /** Replaces the handlers of the root logger. */
  public Judge(List<Executor> loops) {
    this.loops = loops.stream().map(Watched::new).toList();
    for (Handler each : LOG.getHandlers()) {
      LOG.removeHandler(each);
    }
    LOG.addHandler(new Handler() {
      @Override
      public void publish(LogRecord line) {
        logged(line);
      }

      @Override
      public void flush() {
      }

      @Override
      public void close() {
      }
    });
    Thread.ofPlatform().daemon().name("judge").start(this::run);
  }

  private void logged(LogRecord line) {
    String text = String.valueOf(line.getMessage());
    for (Throwable cause = line.getThrown(); cause != null; cause = cause.getCause()) {
      text += cause.getMessage();
    }
    ended(line.getThrown());

    if (text.codePoints().anyMatch(Judge::controls)) {
      broken.compareAndSet(null, "the log has a control character: " + text.replaceAll("[^ -~]", "?"));
    }
    if (text.length() > LONGEST_LINE) {
      broken.compareAndSet(null, "the log has a line of " + text.length() + " characters");
    }
    long most = LINES + LINES_EACH_SECOND * TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    if (lines.incrementAndGet() > most) {
      broken.compareAndSet(null, "the log has more than " + most + " lines, the last one: " + text);
    }
  }

  /** Called with the reason of a connection's end: no attacker can cause an error of the JVM. */
  public void ended(Throwable why) {
    for (Throwable cause = why; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError) {
        broken.compareAndSet(null, "an attack caused " + cause);
      }
    }
  }

  private static boolean controls(int c) {
    int type = Character.getType(c);
    return type == Character.CONTROL || type == Character.FORMAT || type == Character.LINE_SEPARATOR
      || type == Character.PARAGRAPH_SEPARATOR;
  }

  /** If the whole process pauses, this thread does, too. Such a pause adds only one step to the loops' waits. */
  private void run() {
    try {
      while (true) {
        Thread.sleep(EVERY_MILLIS);
        loops.forEach(each -> each.look(TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public int lines() {
    return lines.get();
  }

  /** Throws an AssertionError if a limit was exceeded. */
  public void check() {
    MemoryUsage heap = MEMORY.getHeapMemoryUsage();
    if (heap.getUsed() > heap.getMax() * 3 / 4) {
      System.gc();
      long left = MEMORY.getHeapMemoryUsage().getUsed();
      if (left > heap.getMax() * 3 / 4) {
        broken.compareAndSet(null, left + " of " + heap.getMax() + " bytes of heap are in use");
      }
    }
    if (broken.get() != null) {
      throw new AssertionError(broken.get());
    }
  }
}
