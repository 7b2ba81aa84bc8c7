package io.github.vertxrdma.perf.work;

import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Requests whose replies come in the same order. Keeps a window of requests in flight, or sends requests every {@link End#everyMillis}.
 * Confined to a context.
 */
final class Exchange {
  private static final int PACED_WINDOW = 1 << 14;

  private final Consumer<Buffer> write;
  private final Buffer request;
  private final Histogram histogram;
  private final int window;
  private final Promise<Long> done = Promise.promise();
  private long[] sent;
  private boolean paced;
  private long end;
  private int first;
  private int running;

  Exchange(Consumer<Buffer> write, int size, int window, Histogram histogram) {
    this.write = write;
    this.request = Buffer.buffer(new byte[size]);
    this.window = window;
    this.histogram = histogram;
  }

  /** Runs exchanges. {@link End#second}, if set, receives the figures of each second, and the run ends with the last second. */
  static Sample run(End end, List<Exchange> all, Histogram histogram, int size, long nanos) throws Exception {
    long begin = System.nanoTime();
    long[] last = {begin};
    end.context.runOnContext(v -> {
      if (end.second != null) {
        long[] left = {nanos};
        end.vertx.setPeriodic(1000, timer -> {
          long now = System.nanoTime();
          end.second.accept(Sample.of(histogram, now - last[0], size));
          histogram.reset();
          last[0] = now;
          left[0] -= 1_000_000_000;
          if (left[0] <= 0) {
            end.vertx.cancelTimer(timer);
            all.forEach(each -> each.end = now);
          }
        });
      }
      boolean paced = end.everyMillis > 0;
      all.forEach(each -> each.start(paced || end.second != null ? System.nanoTime() + Long.MAX_VALUE / 2 : begin + nanos, paced));
      if (paced) {
        end.startPaced(all.size(), nanos, i -> all.get(i).send(), () -> all.forEach(Exchange::endPace));
      }
    });
    long ended = begin;
    for (Exchange each : all) {
      ended = Math.max(ended, End.await(each.done.future(), End.limit(nanos)));
    }
    return Sample.of(histogram, ended - last[0], size);
  }

  private void start(long until, boolean atPace) {
    end = until;
    paced = atPace;
    sent = new long[paced ? PACED_WINDOW : window];
    for (int i = 0; i < window && !paced; i++) {
      send();
    }
  }

  private void send() {
    if (running == sent.length) {
      done.tryFail("no reply to " + running + " requests");
      return;
    }
    int at = first + running++;
    sent[at < sent.length ? at : at - sent.length] = System.nanoTime();
    write.accept(request);
  }

  boolean isRunning() {
    return running > 0;
  }

  void replied() {
    long now = System.nanoTime();
    histogram.recordValue(now - sent[first]);
    running--;
    if (++first == sent.length) {
      first = 0;
    }
    if (now - end >= 0) {
      completeIfIdle();
    } else if (!paced) {
      send();
    }
  }

  void fail(Throwable cause) {
    done.tryFail(cause);
  }

  /** Called after the last request. From now on the last reply ends the exchange. */
  private void endPace() {
    end = System.nanoTime();
    completeIfIdle();
  }

  private void completeIfIdle() {
    if (running == 0) {
      done.tryComplete(System.nanoTime());
    }
  }
}
