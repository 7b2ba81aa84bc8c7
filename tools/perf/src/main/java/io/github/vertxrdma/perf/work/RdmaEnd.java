package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;

/** One end that is a node. */
abstract class RdmaEnd implements Workload {
  static final String NAME = "perf";

  final Setup setup;
  final Vertx vertx;
  final Rdma rdma;
  final Context context;

  RdmaEnd(Setup setup) {
    this(setup, 1);
  }

  RdmaEnd(Setup setup, int loops) {
    this.setup = setup;
    this.vertx = Vertx.vertx(NodeOptions.vertx().setEventLoopPoolSize(loops));
    this.rdma = Rdma.create(vertx, NodeOptions.rdma(setup));
    this.context = vertx.getOrCreateContext();
  }

  /** On the context: what is made there lives on its event loop. */
  <T> T onContext(Callable<Future<T>> call) throws Exception {
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

  JsonObject nothing() {
    return new JsonObject();
  }

  @Override
  public void close() throws Exception {
    Await.await(rdma.close());
    Await.await(vertx.close());
  }
}
