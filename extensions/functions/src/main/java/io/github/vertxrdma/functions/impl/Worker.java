package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaHandshake;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Event loop that receives calls, and a thread for blocking functions. Listens, or connects to the client from a separate process. Serves
 * one lease at a time. Confined to its event loop, except methods that say otherwise.
 */
final class Worker extends VerticleBase implements LeasedWorker {
  final Rdma rdma;
  private final String name;
  final FunctionTable functions;
  final LongAdder refusals;
  private final Set<Future<Void>> closing = new HashSet<>();
  private FunctionThread thread;
  private RdmaServer server;
  private volatile GrantedLease lease;
  /** Previous lease, whose client may still connect. */
  private GrantedLease last;
  private WorkerSession session;
  /** Cancelled calls of all connections of the lease. */
  final AbandonedCalls abandoned = new AbandonedCalls();
  final long hotIdleMillis;
  private Supplier<Future<Void>> opening = this::listen;
  private CallTracer tracer;
  private Supplier<Future<Void>> beforeStop = Future::succeededFuture;

  Worker(Rdma rdma, String name, FunctionTable functions, LongAdder refusals, long hotIdleMillis) {
    this.rdma = rdma;
    this.name = name;
    this.functions = functions;
    this.refusals = refusals;
    this.hotIdleMillis = hotIdleMillis;
  }

  /** Makes the worker connect instead of listen. Called before the start. */
  Worker connectTo(String service, Buffer privateData) {
    opening = () -> rdma.connect(service, new RdmaConnectOptions().setPrivateData(privateData))
      .onSuccess(connection -> new WorkerSession(this, connection)).mapEmpty();
    return this;
  }

  /** Sets a task that runs before the worker stops. */
  Worker beforeStop(Supplier<Future<Void>> task) {
    beforeStop = task;
    return this;
  }

  static String unknownLease(long id) {
    return "lease " + GrantedLease.name(id) + " has ended, or was not granted by this server since it started; ask for a new one";
  }

  // Called on any thread.

  @Override
  public String name() {
    return name;
  }

  @Override
  public Worker core() {
    return this;
  }

  Context context() {
    return context;
  }

  @Override
  public Future<?> start() {
    tracer = CallTracer.of(vertx);
    thread = new FunctionThread(this, vertx);
    return opening.get()
      // Vert.x does not stop a verticle whose start has failed.
      .recover(cause -> stop().transform(v -> Future.failedFuture(cause)));
  }

  private Future<Void> listen() {
    server = rdma.createServer().handshakeHandler(this::requested).connectHandler(connection -> new WorkerSession(this, connection));
    return server.listen(name).mapEmpty();
  }

  @Override
  public Future<?> stop() {
    return ((ContextInternal) context).<Void>future(beforeStop.get()::onComplete)
      .compose(v -> server == null ? Future.<Void>succeededFuture() : server.withdraw()).otherwiseEmpty()
      .compose(v -> release(lease, "its server was closed"))
      .compose(v -> sessionsClosed())
      .compose(v -> thread.close());
  }

  /** Thread-safe. */
  @Override
  public Future<JsonArray> assign(GrantedLease granted, Buffer code) {
    lease = granted;
    return Future.succeededFuture(functions.toJson());
  }

  GrantedLease admits(CallerMessage.Hello hello) {
    GrantedLease granted = lease;
    return isOf(granted, hello) ? granted : null;
  }

  private static boolean isOf(GrantedLease granted, CallerMessage.Hello hello) {
    return granted != null && granted.id == hello.lease() && granted.secret == hello.secret();
  }

  /** Counts a refused client, except that of the previous lease, which may have ended during the connect. */
  void countRefused(CallerMessage.Hello hello) {
    if (!isOf(last, hello)) {
      refusals.increment();
    }
  }

  private void requested(RdmaHandshake request) {
    CallerMessage.Hello hello;
    try {
      hello = CallerMessage.hello(request.privateData());
    } catch (IllegalArgumentException e) {
      refusals.increment();
      request.reject("'" + name + "' is a worker for remote functions; lease it from its server");
      return;
    }
    if (admits(hello) == null) {
      countRefused(hello);
      request.reject(unknownLease(hello.lease()));
    } else {
      request.accept();
    }
  }

  void opened(WorkerSession fresh) {
    if (session != null) {
      session.end(Reason.WORKER_LOST, "the client of the lease has connected again");
    }
    session = fresh;
  }

  void closed(WorkerSession ended, Future<Void> until) {
    if (!until.isComplete()) {
      closing.add(until);
      until.onComplete(v -> closing.remove(until));
    }
    if (session == ended) {
      session = null;
    }
  }

  Future<Void> sessionsClosed() {
    return Future.join(List.copyOf(closing)).otherwiseEmpty().mapEmpty();
  }

  /** Thread-safe. */
  @Override
  public Future<Void> release(GrantedLease ended, String why) {
    return onLoop(() -> releaseNow(ended, why));
  }

  private Future<Void> releaseNow(GrantedLease ended, String why) {
    if (ended == null || lease != ended) {
      return Future.succeededFuture();
    }
    lease = null;
    last = ended;
    if (session != null) {
      session.end(Reason.LEASE_ENDED, "lease " + ended.name() + " of worker " + name + " has ended: " + why);
    }
    return sessionsClosed();
  }

  /** Thread-safe. */
  @Override
  public Future<Void> idle() {
    return onLoop(() -> thread.idle().compose(stopped -> abandoned.none()));
  }

  boolean isTraced() {
    return tracer != null;
  }

  void execute(Execution execution) {
    if (tracer == null) {
      run(execution);
    } else {
      tracer.serve(execution, (ContextInternal) context, () -> run(execution));
    }
  }

  private void run(Execution execution) {
    if (execution.function.onLoop()) {
      completed(execution, execution.run());
    } else {
      thread.run(execution);
    }
  }

  /** @param result null if the call was cancelled before it started */
  void ran(Execution execution, Future<Buffer> result) {
    if (result == null) {
      execution.session.ended(execution);
      execution.session.answer(execution, Reason.TIMEOUT, "it timed out before worker " + name + " started it");
    } else {
      completed(execution, result);
    }
  }

  /** Prevents a call from beginning. Returns false if it has begun. */
  boolean forget(Execution execution) {
    return !execution.function.onLoop() && execution.forget();
  }

  boolean cancel(Execution execution) {
    execution.cancel();
    return !thread.forget(execution);
  }

  private void completed(Execution execution, Future<Buffer> result) {
    GrantedLease used = execution.session.lease;
    used.executionNanos.add(execution.nanos);
    used.invocations.increment();
    if (result.isComplete()) {
      execution.session.completed(execution, result.result(), result.cause());
    } else {
      result.onComplete(done -> {
        if (vertx.getOrCreateContext() == context) {
          execution.session.completed(execution, done.result(), done.cause());
        } else {
          context.runOnContext(v -> execution.session.completed(execution, done.result(), done.cause()));
        }
      });
    }
  }

  /** Runs a task on the event loop. The future completes on the caller's context. */
  private Future<Void> onLoop(Supplier<Future<Void>> task) {
    Promise<Void> promise = ((VertxInternal) vertx).getOrCreateContext().promise();
    context.runOnContext(v -> task.get().onComplete(promise));
    return promise.future();
  }
}
