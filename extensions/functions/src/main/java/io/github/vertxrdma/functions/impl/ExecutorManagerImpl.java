package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.ExecutorManager;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.ManagerOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** A manager's verticle, as seen from any thread. */
public final class ExecutorManagerImpl implements ExecutorManager {
  private final Vertx vertx;
  private final FunctionTable functions = new FunctionTable();
  private final LongAdder refusals = new LongAdder();
  private final ManagerVerticle verticle;
  private volatile Handler<Bill> billHandler;
  private Future<String> deployment;

  public ExecutorManagerImpl(Vertx vertx, Rdma rdma, ManagerOptions options) {
    this.vertx = vertx;
    ManagerOptions copy = new ManagerOptions(options);
    this.verticle = new ManagerVerticle(rdma, copy, functions, refusals, this::billed);
    if (copy.isLoadProviders()) {
      ServiceLoader.load(FunctionProvider.class).forEach(provider -> provider.register(this));
    }
  }

  private void billed(Bill bill) {
    Handler<Bill> handler = billHandler;
    if (handler != null) {
      handler.handle(bill);
    }
  }

  @Override
  public ExecutorManager register(String name, FunctionOptions options, RemoteFunction function) {
    functions.register(name, options, function);
    return this;
  }

  @Override
  public ExecutorManager billHandler(Handler<Bill> handler) {
    billHandler = handler;
    return this;
  }

  @Override
  public synchronized Future<ExecutorManager> start() {
    if (deployment != null) {
      return Future.failedFuture(new IllegalStateException("this manager was started before; create another one"));
    }
    deployment = vertx.deployVerticle(verticle);
    return deployment.map(this);
  }

  @Override
  public int freeCores() {
    return verticle.freeCores();
  }

  @Override
  public long freeMemory() {
    return verticle.freeMemory();
  }

  @Override
  public Future<List<Bill>> bills() {
    return ask(verticle::bills);
  }

  @Override
  public Future<Bill> total() {
    return ask(verticle::total);
  }

  private synchronized <T> Future<T> ask(Supplier<Future<T>> question) {
    if (deployment == null || !deployment.succeeded()) {
      return Future.failedFuture(new FunctionException(Reason.CLOSED, "this manager is not running"));
    }
    Promise<T> promise = Promise.promise();
    verticle.context().runOnContext(v -> question.get().onComplete(promise));
    return promise.future();
  }

  @Override
  public long refusals() {
    return refusals.sum();
  }

  @Override
  public synchronized Future<Void> close() {
    return deployment == null ? Future.succeededFuture()
      // It may have been undeployed with its Vert.x, or with its parent.
      : deployment.transform(done -> done.failed() || vertx.deploymentIDs().stream().noneMatch(done.result()::equals)
        ? Future.succeededFuture() : vertx.undeploy(done.result()));
  }
}
