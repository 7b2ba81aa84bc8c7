package io.github.vertxrdma.referee;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.simulator.referee.CallHistory;
import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;

/** Calls the first word of a region, one call after the other, until it is revoked or has failed twice. */
public final class WordClient {
  private static final int MOST_FAILURES = 2;
  private static final int MOST_CALLS = 400;
  private static final long LARGEST = 1L << 40;

  private final Context context;
  private final Supplier<Future<RemoteRegion>> opening;
  private final Use use;
  private final CallHistory history;
  private final int number;
  private final Random random;
  private final Promise<Void> over = Promise.promise();
  private RemoteRegion region;
  private long seen;
  private int calls;
  private int failures;

  /**
   * @param opening opens the region, again after each failure
   * @param number of the client, from 1
   */
  public WordClient(Vertx vertx, Supplier<Future<RemoteRegion>> opening, Use use, CallHistory history, int number, long seed) {
    this.context = vertx.getOrCreateContext();
    this.opening = opening;
    this.use = use;
    this.history = history;
    this.number = number;
    this.random = new Random(seed * 31 + number);
  }

  public static Supplier<Future<RemoteRegion>> byName(Rdma rdma, String name) {
    return () -> rdma.openRegion(name, new RegionOpenOptions().setLookupTimeout(Duration.ofMillis(100)));
  }

  /** Completes at the end, also after a failure. */
  public Future<Void> run() {
    context.runOnContext(v -> open());
    return over.future();
  }

  private void open() {
    opening.get().onComplete(opened -> {
      if (opened.failed()) {
        over.complete();
        return;
      }
      region = opened.result();
      next();
    });
  }

  private void next() {
    int what = random.nextInt(100);
    if (++calls > MOST_CALLS) {
      over.complete();
    } else if (what < 4) {
      region.close().onComplete(v -> open());
    } else {
      boolean hasty = what == 4 && failures == 0;
      call(hasty ? region.withTimeout(Duration.ofMillis(1)) : region, what % 10).onComplete(done -> {
        if (done.succeeded()) {
          seen = done.result();
          next();
        } else if (++failures == MOST_FAILURES || done.cause() instanceof RdmaException e && e.reason() == Reason.REVOKED) {
          over.complete();
        } else {
          open();
        }
      });
    }
  }

  private Future<Long> call(RemoteRegion on, int what) {
    long value = 1 + random.nextLong(LARGEST - 1);
    return use == Use.PLAIN ? plain(on, what, withCheck(value)) : atomic(on, what, value);
  }

  /** Plain writes and reads may be torn: such a read has no answer. */
  private Future<Long> plain(RemoteRegion on, int what, long value) {
    return what < 5
      ? call(Kind.READ, 0, 0,
        () -> readWord(on).compose(found -> isTorn(found) ? Future.failedFuture("torn") : Future.succeededFuture(found)))
      : call(Kind.WRITE, value, 0, () -> on.write(0, Buffer.buffer().appendLongLE(value)).map(value));
  }

  /** Returns a value whose upper bits show whether it is a mixture of several. */
  private static long withCheck(long value) {
    return value | (value * 0x9E3779B97F4A7C15L >>> 41) << 40;
  }

  static boolean isTorn(long found) {
    return found != 0 && withCheck(found & LARGEST - 1) != found;
  }

  private Future<Long> call(Kind kind, long first, long second, Supplier<Future<Long>> operation) {
    return call(history, number, kind, first, second, operation);
  }

  /** @return the same future, after its answer is recorded */
  static Future<Long> call(CallHistory history, int client, Kind kind, long first, long second, Supplier<Future<Long>> operation) {
    return history.call(client, kind, first, second, answer -> operation.get().onSuccess(answer::accept));
  }

  private static Future<Long> readWord(RemoteRegion on) {
    return on.read(0, Long.BYTES).map(bytes -> bytes.getLongLE(0));
  }

  private Future<Long> atomic(RemoteRegion on, int what, long value) {
    return switch (what) {
      case 0, 1 -> call(Kind.ADD, 0, 0, () -> on.fetchAndAdd(0, 0));
      case 2 -> call(Kind.READ, 0, 0, () -> readWord(on));
      case 3, 4, 5 -> {
        long expected = seen;
        yield call(Kind.EXCHANGE, expected, value, () -> on.compareAndExchange(0, expected, value));
      }
      default -> call(Kind.ADD, value, 0, () -> on.fetchAndAdd(0, value));
    };
  }

  /** Makes one call of each kind on the regions that are still open, which must not succeed after a revoke. */
  Future<Void> again() {
    if (region == null) {
      return Future.succeededFuture();
    }
    Promise<Void> done = Promise.promise();
    context.runOnContext(v -> Future.join(call(region, 0), call(region, 2), call(region, 3), call(region, 9))
      .onComplete(all -> done.complete()));
    return done.future();
  }
}
