package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Thread for blocking functions of a worker, with a queue of calls. Cancelled calls leave the queue, so that at most one call for each slot
 * waits behind a blocked function.
 */
final class FunctionThread {
  /** Maximum number of calls passed to the thread, so that it need not wait for the event loop between calls. */
  private static final int HANDED_OVER = 2;

  private final Worker worker;
  private final VertxInternal vertx;
  private final WorkerExecutor thread;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final List<Promise<Void>> idle = new ArrayList<>();
  private int handedOver;

  private record Waiting(Execution execution, ContextInternal context) {
  }

  FunctionThread(Worker worker, Vertx vertx) {
    this.worker = worker;
    this.vertx = (VertxInternal) vertx;
    this.thread = vertx.createSharedWorkerExecutor("vertx-rdma-function " + worker.name(), 1, 1, TimeUnit.DAYS);
  }

  void run(Execution execution) {
    waiting.add(new Waiting(execution, vertx.getOrCreateContext()));
    handOver();
  }

  /** Removes a waiting call. Returns false if the thread, which skips cancelled calls, has it. */
  boolean forget(Execution execution) {
    return waiting.removeIf(each -> each.execution == execution);
  }

  private void handOver() {
    while (handedOver < HANDED_OVER && !waiting.isEmpty()) {
      handedOver++;
      Waiting next = waiting.poll();
      next.context.dispatch(v -> start(next.execution));
    }
    if (handedOver == 0) {
      List<Promise<Void>> waiters = List.copyOf(idle);
      idle.clear();
      waiters.forEach(Promise::complete);
    }
  }

  private void start(Execution execution) {
    Future<Future<Buffer>> started;
    try {
      // The only thread keeps the order. Ordered tasks without a thread would block later ones.
      started = ThreadLimit.named(() -> thread.executeBlocking(execution::begin, false));
    } catch (RejectedExecutionException e) {
      started = Future.failedFuture("worker " + worker.name() + " was closed");
    }
    started.onComplete(done -> {
      handedOver--;
      handOver();
      worker.ran(execution, done.failed() ? Future.failedFuture(done.cause()) : done.result());
    });
  }

  Future<Void> idle() {
    Promise<Void> promise = Promise.promise();
    idle.add(promise);
    handOver();
    return promise.future();
  }

  Future<Void> close() {
    return thread.close();
  }
}
