package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.perf.work.TimedOperations.Operation;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Server or client of a workload, with its own Vert.x and one context. */
abstract class End implements Workload {
  static final String HOST = "127.0.0.1";
  /** Name of the server, and of its region. */
  static final String NAME = "perf";
  /** Time limit of a call in seconds, and of a run in addition to its duration. */
  static final int SECONDS = 60;

  final Setup setup;
  final Vertx vertx;
  final Context context;
  private Rdma rdma;
  /** Milliseconds between two starts of an operation; 0 to start one when another has ended. */
  long everyMillis;

  End(Setup setup) {
    this(setup, setup.vertx(new VertxOptions()).build());
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
    return await(promise.future());
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

  /** Returns the node, created by the first call. */
  final synchronized Rdma rdma() {
    if (rdma == null) {
      rdma = Rdma.create(vertx, setup.rdma());
    }
    return rdma;
  }

  /** Waits until the node of a client has left. */
  final void awaitClient() throws Exception {
    Promise<Void> end = Promise.promise();
    onContext(() -> rdma().directory().map(directory -> directory.watchNodes(event -> {
      if (event.type() == DirectoryEvent.Type.REMOVED && !((NodeEntry) event.entry()).nodeId().equals(directory.nodeId())) {
        end.tryComplete();
      }
    })));
    await(end.future(), Integer.MAX_VALUE);
  }

  final int underWay() {
    return setup.connections() * setup.window();
  }

  /** Keeps operations in flight, or starts them every {@link #everyMillis}. */
  final Sample measure(int size, long nanos, int atATime, Supplier<? extends Future<?>> operation) throws Exception {
    return TimedOperations.run(this, size, nanos, Collections.nCopies(atATime, Operation.of(operation)));
  }

  @Override
  public void close() throws Exception {
    if (rdma != null) {
      await(rdma.close());
    }
    await(vertx.close());
  }
}
