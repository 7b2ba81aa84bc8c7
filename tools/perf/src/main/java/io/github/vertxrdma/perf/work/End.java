package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** One end that is a Vert.x, on one context of which all is made and measured. */
abstract class End implements Workload {
  static final String HOST = "127.0.0.1";

  final Setup setup;
  final Vertx vertx;
  final Context context;

  End(Setup setup) {
    this(setup, Vertx.vertx(NodeOptions.vertx(setup, 1)));
  }

  End(Setup setup, Vertx vertx) {
    this.setup = setup;
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
  }

  /** On the context: what is made there lives on its event loop. */
  final <T> T onContext(Callable<Future<T>> call) throws Exception {
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> {
      try {
        call.call().onComplete(promise);
      } catch (Exception e) {
        promise.fail(e);
      }
    });
    return Await.await(promise.future());
  }

  static JsonObject nothing() {
    return new JsonObject();
  }

  /** Operations under way at any time. */
  final int underWay() {
    return setup.connections() * setup.window();
  }

  /** Keeps so many of an operation under way. */
  final Sample measure(int size, long nanos, int atATime, Supplier<? extends Future<?>> operation) throws Exception {
    return ClosedLoop.run(context, size, nanos, Collections.nCopies(atATime, operation));
  }

  @Override
  public void close() throws Exception {
    Await.await(vertx.close());
  }
}
