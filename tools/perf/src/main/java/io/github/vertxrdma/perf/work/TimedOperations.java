package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Measures operations on one event loop. Starts each operation again when it has ended, or every {@link End#everyMillis}. Starts no more
 * operations after one has failed.
 */
final class TimedOperations {
  private final End end;
  private final Histogram histogram = Sample.histogram();
  private final Promise<Sample> done = Promise.promise();
  private final int size;
  private final long nanos;
  private long begin;
  /** Operations in flight, and one more until all have been started. */
  private int running = 1;

  /** Operation that is measured again and again. */
  interface Operation {
    /** Starts the operation. Its end must call {@link TimedOperations#ended}. */
    void start(TimedOperations run);

    static Operation of(Supplier<? extends Future<?>> call) {
      return new Operation() {
        @Override
        public void start(TimedOperations run) {
          long started = System.nanoTime();
          call.get().onComplete((result, cause) -> run.ended(this, started, cause));
        }
      };
    }
  }

  /** Requests whose replies come in the same order. */
  static final class Exchange implements Operation {
    private static final int PACED_WINDOW = 1 << 14;
    private final Consumer<Buffer> write;
    private final Buffer request;
    private final int window;
    private final long[] sent;
    private int first;
    private int waiting;
    private TimedOperations run;

    /** @param window number of requests in flight, unless requests are paced */
    Exchange(End end, Consumer<Buffer> write, int size, int window) {
      this.write = write;
      this.request = Buffer.buffer(new byte[size]);
      this.window = end.everyMillis > 0 ? 1 : window;
      this.sent = new long[end.everyMillis > 0 ? PACED_WINDOW : window];
    }

    /** Returns this operation for each request that is in flight at a time. */
    List<Operation> operations() {
      return Collections.nCopies(window, this);
    }

    @Override
    public void start(TimedOperations of) {
      run = of;
      if (waiting == sent.length) {
        fail(new IllegalStateException("no reply to " + waiting + " requests"));
        return;
      }
      int at = first + waiting++;
      sent[at < sent.length ? at : at - sent.length] = System.nanoTime();
      write.accept(request);
    }

    boolean isRunning() {
      return waiting > 0;
    }

    void replied() {
      long started = sent[first];
      waiting--;
      if (++first == sent.length) {
        first = 0;
      }
      run.ended(this, started, null);
    }

    void fail(Throwable cause) {
      run.ended(this, 0, cause);
    }
  }

  private TimedOperations(End end, int size, long nanos) {
    this.end = end;
    this.size = size;
    this.nanos = nanos;
  }

  /** @param operations each is in flight once at any time, unless they start at a fixed rate */
  static Sample run(End end, int size, long nanos, List<? extends Operation> operations) throws Exception {
    TimedOperations run = new TimedOperations(end, size, nanos);
    end.context.runOnContext(v -> run.start(operations));
    return End.await(run.done.future(), End.SECONDS + TimeUnit.NANOSECONDS.toSeconds(nanos));
  }

  private void start(List<? extends Operation> operations) {
    begin = System.nanoTime();
    if (end.everyMillis > 0) {
      startPaced(operations);
    } else {
      operations.forEach(this::start);
      completeIfLast();
    }
  }

  private void start(Operation operation) {
    running++;
    operation.start(this);
  }

  /** Starts each operation every {@link End#everyMillis}, with equal pauses between all starts, also while earlier ones run. */
  private void startPaced(List<? extends Operation> operations) {
    int count = operations.size();
    double interval = end.everyMillis * 1e6 / count;
    long[] started = new long[1];
    end.vertx.setPeriodic(Math.max(1, end.everyMillis / count), timer -> {
      // A late loop starts all operations that are due.
      long passed = Math.min(System.nanoTime() - begin, nanos);
      for (long due = (long) (passed / interval); started[0] < due && !done.future().isComplete(); started[0]++) {
        start(operations.get((int) (started[0] % count)));
      }
      if (passed == nanos || done.future().isComplete()) {
        end.vertx.cancelTimer(timer);
        completeIfLast();
      }
    });
  }

  private void ended(Operation operation, long started, Throwable cause) {
    if (cause != null) {
      done.tryFail(cause);
      return;
    }
    long now = System.nanoTime();
    histogram.recordValue(now - started);
    if (end.everyMillis == 0 && now - begin < nanos && !done.future().isComplete()) {
      operation.start(this);
    } else {
      completeIfLast();
    }
  }

  private void completeIfLast() {
    if (--running == 0) {
      done.tryComplete(Sample.of(histogram, System.nanoTime() - begin, size));
    }
  }
}
