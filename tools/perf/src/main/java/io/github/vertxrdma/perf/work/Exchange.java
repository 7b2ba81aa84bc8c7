package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Requests over a stream, a window of them under way: each reply, of which its owner tells, brings the next request. Confined to a context.
 */
final class Exchange {
  private final WriteStream<Buffer> stream;
  private final Buffer request;
  private final Histogram histogram;
  private final long[] sent;
  private final Promise<Long> done = Promise.promise();
  private long end;
  private int first;
  private int running;

  Exchange(WriteStream<Buffer> stream, int size, int window, Histogram histogram) {
    this.stream = stream;
    this.request = Buffer.buffer(new byte[size]);
    this.sent = new long[window];
    this.histogram = histogram;
  }

  /** Has all of them at work for a time. */
  static Sample run(Context context, List<Exchange> all, Histogram histogram, int size, long nanos) throws Exception {
    long begin = System.nanoTime();
    long end = begin;
    all.forEach(each -> context.runOnContext(v -> each.start(begin + nanos)));
    for (Exchange each : all) {
      end = Math.max(end, Await.await(each.done.future()));
    }
    return Sample.of(histogram, end - begin, size);
  }

  private void start(long until) {
    end = until;
    running = sent.length;
    for (int i = 0; i < sent.length; i++) {
      sent[i] = System.nanoTime();
      stream.write(request);
    }
  }

  boolean isRunning() {
    return running > 0;
  }

  /** The reply to the oldest request is there. */
  void replied() {
    long now = System.nanoTime();
    histogram.recordValue(now - sent[first]);
    if (now - end < 0) {
      sent[first] = now;
      stream.write(request);
    } else if (--running == 0) {
      done.complete(now);
    }
    if (++first == sent.length) {
      first = 0;
    }
  }
}
