package io.github.vertxrdma.perf.work;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** Keeps operations under way until the time is up, each started when one has ended, and times each. Runs on one event loop. */
final class ClosedLoop {
  private final List<? extends Supplier<? extends Future<?>>> operations;
  private final Histogram histogram = Sample.histogram();
  private final Promise<Sample> done = Promise.promise();
  private final int size;
  private final long nanos;
  private long begin;
  private int running;
  private Throwable failure;

  private ClosedLoop(List<? extends Supplier<? extends Future<?>>> operations, int size, long nanos) {
    this.operations = operations;
    this.size = size;
    this.nanos = nanos;
  }

  /** @param operations one of each is under way at any time */
  static Sample run(Context context, int size, long nanos, List<? extends Supplier<? extends Future<?>>> operations) throws Exception {
    ClosedLoop loop = new ClosedLoop(operations, size, nanos);
    context.runOnContext(v -> loop.start());
    return Await.await(loop.done.future());
  }

  private void start() {
    begin = System.nanoTime();
    running = operations.size();
    for (Supplier<? extends Future<?>> operation : operations) {
      next(operation);
    }
  }

  private void next(Supplier<? extends Future<?>> operation) {
    long started = System.nanoTime();
    operation.get().onComplete(result -> ended(operation, started, result));
  }

  private void ended(Supplier<? extends Future<?>> operation, long started, AsyncResult<?> result) {
    long now = System.nanoTime();
    if (result.failed()) {
      failure = result.cause();
    } else {
      histogram.recordValue(now - started);
    }
    if (failure == null && now - begin < nanos) {
      next(operation);
    } else if (--running == 0) {
      if (failure == null) {
        done.complete(Sample.of(histogram, now - begin, size));
      } else {
        done.fail(failure);
      }
    }
  }
}
