package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

public final class FunctionServerImpl implements FunctionServer {
  private final Vertx vertx;
  private final FunctionTable functions = new FunctionTable();
  private final LongAdder refusals = new LongAdder();
  private final FunctionServerVerticle verticle;
  private volatile Handler<Bill> billHandler;
  private Future<String> deployment;
  private Future<Void> closed;

  public FunctionServerImpl(Rdma rdma, FunctionServerOptions options) {
    this.vertx = rdma.vertx();
    FunctionServerOptions copy = new FunctionServerOptions(options);
    this.verticle = new FunctionServerVerticle(rdma, copy, functions, refusals, this::billed);
    if (copy.isLoadProviders()) {
      providers().forEach(provider -> provider.register(this));
    }
  }

  /** Returns all providers. Searches this library's class loader too: the thread's may lack jars of a fat jar. */
  private static List<FunctionProvider> providers() {
    Map<String, ServiceLoader.Provider<FunctionProvider>> found = new LinkedHashMap<>();
    Stream.of(Thread.currentThread().getContextClassLoader(), FunctionProvider.class.getClassLoader()).filter(Objects::nonNull).distinct()
      .flatMap(loader -> ServiceLoader.load(FunctionProvider.class, loader).stream())
      .forEach(provider -> found.putIfAbsent(provider.type().getName(), provider));
    return found.values().stream().map(ServiceLoader.Provider::get).toList();
  }

  private void billed(Bill bill) {
    Handler<Bill> handler = billHandler;
    if (handler != null) {
      handler.handle(bill);
    }
  }

  @Override
  public FunctionServer register(String name, FunctionOptions options, RemoteFunction function) {
    functions.register(name, options, function);
    return this;
  }

  @Override
  public FunctionServer billHandler(Handler<Bill> handler) {
    billHandler = handler;
    return this;
  }

  @Override
  public synchronized Future<FunctionServer> listen(String service) {
    Objects.requireNonNull(service, "service");
    if (deployment != null) {
      return Future
        .failedFuture(new IllegalStateException("cannot listen: this server listens already, or has listened before. Create another one"));
    }
    verticle.service(service);
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
      return Future.failedFuture(new FunctionException(Reason.CLOSED, "this server is not running"));
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
    if (deployment == null) {
      return Future.succeededFuture();
    }
    if (closed == null) {
      closed = deployment.transform(this::undeploy);
    }
    return closed;
  }

  private Future<Void> undeploy(AsyncResult<String> deployed) {
    return !isDeployed(deployed) ? Future.succeededFuture()
      : verticle.leave().compose(v -> isDeployed(deployed) ? vertx.undeploy(deployed.result()) : Future.succeededFuture());
  }

  private boolean isDeployed(AsyncResult<String> deployed) {
    return deployed.succeeded() && vertx.deploymentIDs().contains(deployed.result());
  }
}
