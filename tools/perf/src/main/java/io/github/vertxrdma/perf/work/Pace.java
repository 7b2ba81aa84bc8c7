package io.github.vertxrdma.perf.work;

import java.util.function.IntConsumer;

/** Starts operations at a fixed rate, also while earlier ones run. Uses one event loop. */
final class Pace {
  private final int count;
  private final double interval;
  private final IntConsumer operation;
  private final long begin = System.nanoTime();
  private long started;

  private Pace(int count, long everyMillis, IntConsumer operation) {
    this.count = count;
    this.interval = everyMillis * 1e6 / count;
    this.operation = operation;
  }

  /**
   * Starts each operation every {@link End#everyMillis} for a time, with equal pauses between all starts.
   *
   * @param operation called on the end's context with the number of an operation, from 0
   * @param ended called after the last start
   */
  static void run(End end, int count, long nanos, IntConsumer operation, Runnable ended) {
    Pace pace = new Pace(count, end.everyMillis, operation);
    end.vertx.setPeriodic(Math.max(1, end.everyMillis / count), timer -> {
      // A late loop starts all operations that are due.
      long passed = Math.min(System.nanoTime() - pace.begin, nanos);
      pace.startDue(passed);
      if (passed == nanos) {
        end.vertx.cancelTimer(timer);
        ended.run();
      }
    });
  }

  private void startDue(long passed) {
    for (long due = (long) (passed / interval); started < due; started++) {
      operation.accept((int) (started % count));
    }
  }
}
