package io.github.vertxrdma.perf.work;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class FutureAwait {
  private static final int SECONDS = 60;

  private FutureAwait() {
  }

  static long seconds(long nanos) {
    return SECONDS + TimeUnit.NANOSECONDS.toSeconds(nanos);
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
}
