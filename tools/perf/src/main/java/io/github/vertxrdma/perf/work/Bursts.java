package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.util.function.Consumer;

/** Measures a one-way stream in bursts. The receiver sends one reply after each burst. */
final class Bursts {
  private static final long BURST_NANOS = 50_000_000;

  @FunctionalInterface
  interface Burst {
    Future<?> send(int size, long count);
  }

  private Bursts() {
  }

  /**
   * @param head first message to the server
   * @param write writes one message, and reports a failure
   */
  static Future<Void> send(Context context, ReadStream<Buffer> from, WriteStream<Buffer> to, Buffer head, long count,
    Consumer<Handler<Throwable>> write) {
    Promise<Void> done = Promise.promise();
    Handler<Throwable> failed = done::tryFail;
    long[] left = {count};
    Runnable pump = () -> {
      while (left[0] > 0 && !to.writeQueueFull()) {
        left[0]--;
        write.accept(failed);
      }
    };
    context.runOnContext(v -> {
      from.handler(reply -> done.complete());
      to.drainHandler(drained -> pump.run());
      to.write(head);
      pump.run();
    });
    return done.future();
  }

  static Sample run(int size, long nanos, int streams, Burst burst) throws Exception {
    long count = Math.max(8, Math.min(1024, (1 << 20) / Math.max(1, size)));
    long sent = 0;
    long time = 0;
    while (time < nanos) {
      long begin = System.nanoTime();
      End.await(burst.send(size, count));
      long took = System.nanoTime() - begin;
      sent += count * streams;
      time += took;
      if (took < BURST_NANOS / 2) {
        // Discards bursts that were too short, unless half of the run's time is used.
        count *= 2;
        if (time < nanos / 2) {
          sent = 0;
          time = 0;
          nanos -= took;
        }
      }
    }
    return Sample.of(sent, time, size);
  }
}
