package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Server or client of a workload, with its own Vert.x and one context. */
abstract class End implements Workload {
  static final String HOST = "127.0.0.1";
  private static final int SECONDS = 60;

  final Setup setup;
  final Vertx vertx;
  final Context context;
  /** Milliseconds between two starts of an operation; 0 to start one when another has ended. */
  long everyMillis;
  /** Receives the figures of each second on the context; null for none. Supported by {@link Exchange}. */
  Consumer<Sample> second;

  End(Setup setup) {
    this(setup, NodeOptions.vertx(setup, new VertxOptions()).build());
  }

  End(Setup setup, Vertx vertx) {
    this.setup = setup;
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
  }

  final <T> T onContext(Callable<Future<T>> call) throws Exception {
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> {
      try {
        call.call().onComplete(promise);
      } catch (Exception e) {
        promise.fail(e);
      }
    });
    return await(promise.future());
  }

  static <T> T await(Future<T> future) throws Exception {
    return await(future, SECONDS);
  }

  static <T> T await(Future<T> future, long seconds) throws Exception {
    try {
      return future.await(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException("no answer within " + seconds + " s");
    }
  }

  /** Returns the time limit of a run in seconds. @param nanos duration of the run */
  static long limit(long nanos) {
    return SECONDS + TimeUnit.NANOSECONDS.toSeconds(nanos);
  }

  /**
   * Starts each operation every {@link #everyMillis} for a time, with equal pauses between all starts, also while earlier ones run.
   *
   * @param operation called on the context with the number of an operation, from 0
   * @param ended called after the last start
   */
  final void startPaced(int count, long nanos, IntConsumer operation, Runnable ended) {
    double interval = everyMillis * 1e6 / count;
    long begin = System.nanoTime();
    long[] started = new long[1];
    vertx.setPeriodic(Math.max(1, everyMillis / count), timer -> {
      // A late loop starts all operations that are due.
      long passed = Math.min(System.nanoTime() - begin, nanos);
      for (long due = (long) (passed / interval); started[0] < due; started[0]++) {
        operation.accept((int) (started[0] % count));
      }
      if (passed == nanos) {
        vertx.cancelTimer(timer);
        ended.run();
      }
    });
  }

  final int underWay() {
    return setup.connections() * setup.window();
  }

  /** Keeps operations in flight, or starts them every {@link #everyMillis}. */
  final Sample measure(int size, long nanos, int atATime, Supplier<? extends Future<?>> operation) throws Exception {
    return TimedOperations.run(this, size, nanos, Collections.nCopies(atATime, operation));
  }

  @Override
  public void close() throws Exception {
    await(vertx.close());
  }
}
