package io.github.vertxrdma.perf.work;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** Measures operations on one event loop. Starts each operation again when it has ended, or every {@link End#everyMillis}. */
final class TimedOperations {
  private final End end;
  private final List<? extends Supplier<? extends Future<?>>> operations;
  private final Histogram histogram = Sample.histogram();
  private final Promise<Sample> done = Promise.promise();
  private final int size;
  private final long nanos;
  private long begin;
  private int running;
  private Throwable failure;

  private TimedOperations(End end, List<? extends Supplier<? extends Future<?>>> operations, int size, long nanos) {
    this.end = end;
    this.operations = operations;
    this.size = size;
    this.nanos = nanos;
  }

  /** @param operations each is in flight once at any time, unless they start at a fixed rate */
  static Sample run(End end, int size, long nanos, List<? extends Supplier<? extends Future<?>>> operations) throws Exception {
    TimedOperations loop = new TimedOperations(end, operations, size, nanos);
    end.context.runOnContext(v -> loop.start());
    return End.await(loop.done.future(), End.limit(nanos));
  }

  private void start() {
    begin = System.nanoTime();
    running = 1;
    if (end.everyMillis > 0) {
      end.startPaced(operations.size(), nanos, i -> next(operations.get(i)), this::completeIfLast);
    } else {
      operations.forEach(this::next);
      completeIfLast();
    }
  }

  private void next(Supplier<? extends Future<?>> operation) {
    running++;
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
    if (end.everyMillis == 0 && failure == null && now - begin < nanos) {
      running--;
      next(operation);
    } else {
      completeIfLast();
    }
  }

  private void completeIfLast() {
    if (--running > 0) {
      return;
    }
    if (failure == null) {
      done.complete(Sample.of(histogram, System.nanoTime() - begin, size));
    } else {
      done.fail(failure);
    }
  }
}
