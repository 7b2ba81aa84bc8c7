package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RdmaServerOptions;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Server that assigns workers to leases. Confined to its event loop, except the methods of {@link FunctionServer}. */
public final class FunctionServerImpl extends VerticleBase implements FunctionServer {
  private static final Logger LOG = LoggerFactory.getLogger(FunctionServerImpl.class);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Attempts.Limits UPDATE_PAUSES = Attempts.Limits.endless(200, 2_000);
  /** Time after a failed start in which no process is started, because clients retry immediately. */
  private static final long START_PAUSE_MILLIS = 30_000;

  private final Rdma rdma;
  final FunctionServerOptions options;
  private final FunctionTable functions = new FunctionTable();
  final LongAdder refusals = new LongAdder();
  private volatile Handler<Bill> billHandler;
  final Map<Long, GrantedLease> leases = new LinkedHashMap<>();
  private final ArrayDeque<Worker> free = new ArrayDeque<>();
  private final Set<LeasedWorker> processes = new HashSet<>();
  private final List<String> workerDeployments = new ArrayList<>();
  private RdmaDirectory directory;
  /** Set before the verticle is deployed. */
  private volatile String service;
  String name;
  private RdmaServer server;
  private volatile int freeCores;
  private volatile long freeMemory;
  private Bill past = new Bill("", "", 0, 0, 0, 0, 0, 0);
  private boolean publishing;
  private Attempts updates = new Attempts(UPDATE_PAUSES);
  private boolean closed;
  /** Cause of a failed start during the pause after it; otherwise null. */
  private String startFailure;
  private Future<Void> withdrawn;
  private Future<String> deployment;
  private Future<Void> closing;

  public FunctionServerImpl(Rdma rdma, FunctionServerOptions options) {
    this.rdma = rdma;
    this.options = new FunctionServerOptions(options);
    this.freeMemory = options.getMemory();
    if (options.isLoadProviders()) {
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

  // The following methods may be called on any thread.

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
    this.service = service;
    deployment = rdma.vertx().deployVerticle(this);
    return deployment.map(this);
  }

  @Override
  public int freeCores() {
    return freeCores;
  }

  @Override
  public long freeMemory() {
    return freeMemory;
  }

  @Override
  public Future<List<Bill>> bills() {
    return ask(this::currentBills);
  }

  @Override
  public Future<Bill> total() {
    return ask(this::currentTotal);
  }

  private synchronized <T> Future<T> ask(Supplier<T> question) {
    if (deployment == null || !deployment.succeeded()) {
      return Future.failedFuture(new FunctionException(Reason.CLOSED, "this server is not running"));
    }
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> promise.complete(question.get()));
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
    if (closing == null) {
      closing = deployment.transform(deployed -> deployed.succeeded() ? vertx.undeploy(deployed.result()).otherwiseEmpty()
        : Future.succeededFuture());
    }
    return closing;
  }

  // The following methods are called on the event loop.

  @Override
  public Future<?> start() {
    return rdma.directory().compose(found -> {
      directory = found;
      name = service + '/' + found.nodeId() + '/' + Long.toHexString(RANDOM.nextLong());
      return deployWorkers(0);
    }).compose(v -> {
      server = rdma.createServer(new RdmaServerOptions().setMetadata(offer()))
        .connectHandler(connection -> new ServerSession(this, connection));
      return server.listen(name);
      // Vert.x does not stop a verticle whose start has failed.
    }).recover(cause -> stop().transform(v -> Future.failedFuture(cause)));
  }

  /** Deploys the workers from a number on. */
  private Future<Void> deployWorkers(int from) {
    if (from == options.getCores()) {
      return Future.succeededFuture();
    }
    Worker worker = new Worker(rdma, name + "/worker-" + from, functions, refusals,
      options.getHotIdleTimeout().toMillis()).beforeStop(this::withdraw);
    return vertx.deployVerticle(worker, new DeploymentOptions()).compose(id -> {
      workerDeployments.add(id);
      free.add(worker);
      freeCores++;
      return deployWorkers(from + 1);
    });
  }

  /** Removes the server from the directory, and grants no more leases. Called on any thread. */
  Future<Void> withdraw() {
    Promise<Void> promise = Promise.promise();
    context.runOnContext(v -> {
      closed = true;
      if (withdrawn == null) {
        withdrawn = server == null ? Future.succeededFuture() : server.withdraw().otherwiseEmpty();
      }
      withdrawn.onComplete(promise);
    });
    return promise.future();
  }

  @Override
  public Future<?> stop() {
    return withdraw()
      .compose(v -> Future.join(List.copyOf(leases.values()).stream().map(lease -> end(lease, Reason.WORKER_LOST,
        "server " + name + " was closed")).toList()).otherwiseEmpty())
      .compose(v -> Future.join(processes.stream().map(LeasedWorker::idle).toList()).otherwiseEmpty())
      .compose(v -> Future.join(workerDeployments.stream().map(vertx::undeploy).toList()).otherwiseEmpty());
  }

  private JsonObject offer() {
    return new JsonObject().put("functions", service).put("cores", options.getCores()).put("freeCores", free.size())
      .put("memory", options.getMemory()).put("freeMemory", freeMemory)
      .put("cold", options.getColdWorkerRdma() != null);
  }

  private void publish() {
    freeCores = free.size();
    if (!publishing) {
      updateOffer();
    }
  }

  /** Publishes the free cores and memory. Retries until that succeeds: clients skip servers without free workers. */
  private void updateOffer() {
    publishing = !closed;
    if (closed) {
      return;
    }
    JsonObject published = offer();
    Future.succeededFuture(published).compose(server::updateMetadata).onSuccess(v -> {
      updates = new Attempts(UPDATE_PAUSES);
      publishing = false;
      if (!published.equals(offer())) {
        updateOffer();
      }
    }).onFailure(cause -> {
      LOG.debug("Server " + name + " could not update its offer in the directory", cause);
      vertx.setTimer(updates.pauseMillis(), t -> updateOffer());
    });
  }

  GrantedLease grant(ServerSession session, LeaseRequest request) {
    if (closed) {
      throw new FunctionException(Reason.NO_CAPACITY, "server " + name + " is closing");
    }
    long memory = (long) request.workers() * request.memory();
    boolean cold = request.mode() == WorkerMode.COLD;
    if (cold && options.getColdWorkerRdma() == null) {
      throw new FunctionException(Reason.NO_CAPACITY, "server " + name + " cannot start worker processes: call "
        + "FunctionServerOptions.setColdWorkerRdma, or request hot or warm workers");
    }
    if (cold && startFailure != null) {
      throw new FunctionException(Reason.NO_CAPACITY, "server " + name + " does not start a worker process for " + START_PAUSE_MILLIS
        + " ms, because the last one did not start: " + startFailure);
    }
    if (request.workers() > free.size() || memory > freeMemory) {
      throw new FunctionException(Reason.NO_CAPACITY, "server " + name + " has " + free.size() + " of " + options.getCores()
        + " cores and " + freeMemory + " of " + options.getMemory() + " bytes free; the request needs " + request.workers()
        + " cores with " + request.memory() + " bytes each");
    }
    List<LeasedWorker> workers = new ArrayList<>();
    for (int i = 0; i < request.workers(); i++) {
      Worker core = free.poll();
      workers.add(cold ? new ColdWorker(core, options, refusals, directory, request.caller()) : core);
    }
    long id;
    do {
      id = RANDOM.nextLong();
    } while (leases.containsKey(id));
    GrantedLease lease = new GrantedLease(id, RANDOM.nextLong(), request, List.copyOf(workers));
    leases.put(id, lease);
    freeMemory -= memory;
    publish();
    lease.session = session;
    return lease;
  }

  /**
   * @param code jar with a valid signature; null for none
   *
   * @return the workers' functions, when clients can connect to all workers
   */
  Future<JsonArray> begin(GrantedLease lease, Buffer code) {
    List<Future<JsonArray>> functionsOf = new ArrayList<>();
    for (LeasedWorker worker : lease.workers) {
      Future<JsonArray> assigned = worker.assign(lease, code);
      functionsOf.add(assigned);
      if (worker instanceof ColdWorker cold) {
        processes.add(cold);
        assigned.onFailure(cause -> startFailed(cold.startFailure));
      }
    }
    return functionsOf.size() == 1 ? functionsOf.getFirst() : Future.all(functionsOf).map(all -> all.<JsonArray>resultAt(0));
  }

  private void startFailed(String why) {
    if (why != null && startFailure == null) {
      LOG.warn("Server " + name + " cannot start a worker process and does not try again for " + START_PAUSE_MILLIS + " ms: " + why);
      startFailure = why;
      vertx.setTimer(START_PAUSE_MILLIS, t -> startFailure = null);
    }
  }

  /** Returns the granted milliseconds, at most the server's {@code maxLease}. */
  long expireIn(GrantedLease lease, long millis) {
    long granted = Math.max(1, Math.min(millis, options.getMaxLease().toMillis()));
    if (lease.timer >= 0) {
      vertx.cancelTimer(lease.timer);
    }
    lease.timer = vertx.setTimer(granted, t -> end(lease, Reason.LEASE_ENDED, "its duration expired"));
    return granted;
  }

  Future<Bill> end(GrantedLease lease, Reason reason, String why) {
    if (lease.ended) {
      return Future.failedFuture(new FunctionException(Reason.LEASE_ENDED, Worker.unknownLease(lease.id)));
    }
    lease.ended = true;
    vertx.cancelTimer(lease.timer);
    Future<Bill> bill = Future.join(lease.workers.stream().map(worker -> worker.release(lease, why)).toList()).otherwiseEmpty()
      .map(v -> lease.bill());
    bill.onSuccess(last -> {
      leases.remove(lease.id);
      if (lease.session != null) {
        lease.session.ended(lease, reason, why, last);
      }
      past = sum(past, last, 0, 0);
      Handler<Bill> handler = billHandler;
      if (handler != null) {
        // The context reports exceptions of the application's handler.
        ((ContextInternal) context).dispatch(last, handler);
      }
    });
    // The last function of a worker still uses its core and arguments.
    lease.workers.forEach(worker -> worker.idle().onSuccess(v -> bill.onComplete(b -> {
      processes.remove(worker);
      if (!closed) {
        freeMemory += lease.request.memory();
        free.add(worker.core());
        publish();
      }
    })));
    return bill;
  }

  private List<Bill> currentBills() {
    return leases.values().stream().filter(lease -> !lease.ended).map(GrantedLease::bill).toList();
  }

  /** The sum includes leases that end, so that it never decreases. */
  private Bill currentTotal() {
    Bill total = past;
    for (Bill bill : leases.values().stream().map(GrantedLease::bill).toList()) {
      total = sum(total, bill, total.workers() + bill.workers(), total.memory() + bill.memory());
    }
    return total;
  }

  private static Bill sum(Bill one, Bill other, int workers, long memory) {
    return new Bill("", "", workers, memory, one.allocationNanos() + other.allocationNanos(), one.hotNanos() + other.hotNanos(),
      one.executionNanos() + other.executionNanos(), one.invocations() + other.invocations());
  }

  Future<Boolean> isGood(Buffer jar, boolean bySecret, byte[] signature) {
    return BlockingCalls.once((ContextInternal) context,
      () -> CodeSignature.isGood(jar.getBytes(), bySecret, signature, options.getCode()));
  }
}
