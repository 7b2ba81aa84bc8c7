package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Server or client of a workload, with its own Vert.x and one context. */
abstract class End implements Workload {
  static final String HOST = "127.0.0.1";

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
    return FutureAwait.await(promise.future());
  }

  static JsonObject nothing() {
    return new JsonObject();
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
    FutureAwait.await(vertx.close());
  }
}
