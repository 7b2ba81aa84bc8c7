package io.github.vertxrdma.referee;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.referee.Call.Kind;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Random;
import java.util.function.UnaryOperator;

/** A client that calls the first word of a region, one call after the other, until it is revoked or has failed twice. */
public final class WordClient {
  private static final int MOST_FAILURES = 2;
  /** Calls after which it stops, should nobody stop it. */
  private static final int MOST_CALLS = 400;
  private static final long LARGEST = 1L << 40;

  private final Context context;
  private final Rdma rdma;
  private final String name;
  private final History history;
  private final int number;
  private final UnaryOperator<RemoteRegion> through;
  private final Random random;
  private final Promise<Void> over = Promise.promise();
  private RemoteRegion region;
  private long seen;
  private int calls;
  private int failures;

  /**
   * @param number of the client, from 1
   * @param through what it calls in place of the region that it opened
   */
  public WordClient(Vertx vertx, Rdma rdma, String name, History history, int number, UnaryOperator<RemoteRegion> through, long seed) {
    this.context = vertx.getOrCreateContext();
    this.rdma = rdma;
    this.name = name;
    this.history = history;
    this.number = number;
    this.through = through;
    this.random = new Random(seed * 31 + number);
  }

  /** @return completes when it is over, well or not */
  public Future<Void> run() {
    context.runOnContext(v -> open());
    return over.future();
  }

  private void open() {
    rdma.openRegion(name, new RegionOpenOptions().setLookupTimeout(Duration.ofMillis(100))).onComplete(opened -> {
      if (opened.failed()) {
        over.complete();
        return;
      }
      region = through.apply(opened.result());
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
    long value = 1 + random.nextLong(LARGEST);
    return switch (what) {
      case 0, 1 -> history.call(number, Kind.ADD, 0, 0, () -> on.fetchAndAdd(0, 0));
      case 2 -> history.call(number, Kind.READ, 0, 0, () -> on.read(0, Long.BYTES).map(bytes -> Long.reverseBytes(bytes.getLong(0))));
      case 3, 4, 5 -> {
        long expected = seen;
        yield history.call(number, Kind.EXCHANGE, expected, value, () -> on.compareAndExchange(0, expected, value));
      }
      default -> history.call(number, Kind.ADD, value, 0, () -> on.fetchAndAdd(0, value));
    };
  }

  /** Calls once of each kind what it had open, which must not succeed after a revoke. */
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
