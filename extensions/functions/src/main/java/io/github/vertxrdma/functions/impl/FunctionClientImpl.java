package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.functions.Call;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionClientOptions;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.ResultStream;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Client with its calls and leases. Confined to one event loop, except the methods of {@link FunctionClient}. */
public final class FunctionClientImpl implements FunctionClient {
  final VertxInternal vertx;
  final Rdma rdma;
  final FunctionClientOptions options;
  final ContextInternal context;
  private final CallTracer tracer;
  private final CopyOnWriteArrayList<LeaseImpl> leases = new CopyOnWriteArrayList<>();
  /** Leases that have not ended, and connections and regions that are being closed. */
  private final Set<Future<?>> closing = ConcurrentHashMap.newKeySet();
  private final List<LeaseSearch> searches = new ArrayList<>();
  private final List<WorkerPool> pools = new ArrayList<>();
  final Dispatcher dispatcher;
  final ColdArrivals arrivals;
  private final Closeable closeHook = completion -> close().onComplete(completion);
  private FunctionException lastEnd;
  private volatile Handler<Lease> leaseHandler = lease -> {};
  boolean closed;

  public FunctionClientImpl(Rdma rdma, FunctionClientOptions options) {
    this.vertx = (VertxInternal) rdma.vertx();
    this.rdma = rdma;
    this.options = new FunctionClientOptions(options);
    this.tracer = CallTracer.of(vertx);
    ContextInternal current = this.vertx.getOrCreateContext();
    this.context = current.isEventLoopContext() ? current.unwrap() : this.vertx.createEventLoopContext();
    this.dispatcher = new Dispatcher(timeouts(), leases, options.getMaxWaiting(), this::isRefilling);
    this.arrivals = new ColdArrivals(rdma);
    context.addCloseHook(closeHook);
  }

  private Deadlines timeouts() {
    return new Deadlines(System::nanoTime, new Deadlines.Timers() {
      @Override
      public Runnable schedule(Runnable task, long nanos) {
        long timer = vertx.setTimer(TimeUnit.NANOSECONDS.toMillis(nanos) + 1, t -> task.run());
        return () -> vertx.cancelTimer(timer);
      }

      @Override
      public boolean inLoop() {
        return context.inThread();
      }
    });
  }

  /** Runs a task on the client's event loop, immediately if the caller is on it. */
  void execute(Runnable task) {
    if (vertx.getContext() instanceof ContextInternal current && current.unwrap() == context && context.inThread()) {
      task.run();
    } else {
      context.runOnContext(v -> task.run());
    }
  }

  <T> Future<T> submit(Supplier<Future<T>> task) {
    Promise<T> promise = vertx.getOrCreateContext().promise();
    // compose turns exceptions into failures.
    execute(() -> Future.succeededFuture().compose(v -> task.get()).onComplete(promise));
    return promise.future();
  }

  @Override
  public Future<List<Lease>> lease(LeaseOptions wanted) {
    return find(wanted, null);
  }

  @Override
  public Future<List<Lease>> lease(LeaseOptions wanted, SignedCode code) {
    if (wanted.getMode() != WorkerMode.COLD) {
      throw new IllegalArgumentException("code runs in cold workers only; lease them with WorkerMode.COLD, not " + wanted.getMode());
    }
    return find(wanted, Objects.requireNonNull(code, "code"));
  }

  private Future<List<Lease>> find(LeaseOptions wanted, SignedCode code) {
    LeaseOptions copy = new LeaseOptions(wanted);
    if (copy.getMemory() < copy.getSlots() * LeaseOptions.LEAST_SLOT) {
      throw new IllegalArgumentException(
        "memory of " + copy.getMemory() + " bytes is too small for " + copy.getSlots() + " slots: use at least "
          + LeaseOptions.LEAST_SLOT + " bytes for each slot");
    }
    return submit(() -> {
      if (closed) {
        return Future.failedFuture(closed());
      }
      if (!copy.isKeep()) {
        return search(copy, code, null);
      }
      WorkerPool pool = new WorkerPool(this, copy, code);
      pools.add(pool);
      return search(copy, code, pool).onFailure(cause -> ended(pool));
    });
  }

  Future<List<Lease>> search(LeaseOptions wanted, SignedCode code, WorkerPool pool) {
    LeaseSearch search = new LeaseSearch(this, wanted, code, pool);
    searches.add(search);
    return search.find().onComplete(done -> searches.remove(search));
  }

  private boolean isRefilling() {
    return pools.stream().anyMatch(WorkerPool::isShort);
  }

  void ended(WorkerPool pool) {
    pools.remove(pool);
    dispatcher.dispatch();
  }

  void leased(LeaseImpl lease) {
    leases.add(lease);
    leaseHandler.handle(lease);
    if (lease.pool != null) {
      lease.pool.leased(lease);
    }
  }

  @Override
  public FunctionClient leaseHandler(Handler<Lease> handler) {
    ContextInternal caller = vertx.getOrCreateContext();
    leaseHandler = handler == null ? lease -> {} : lease -> caller.runOnContext(v -> handler.handle(lease));
    return this;
  }

  void ended(LeaseImpl lease, FunctionException why) {
    boolean wasUsable = leases.remove(lease);
    if (lease.pool != null) {
      lease.pool.ended(lease);
    }
    if (wasUsable) {
      leaseHandler.handle(lease);
    }
    lastEnd = why;
  }

  private static FunctionException closed() {
    return new FunctionException(Reason.CLOSED, "the client is closed");
  }

  @Override
  public List<Lease> leases() {
    return List.copyOf(leases);
  }

  @Override
  public Call call(String function, Buffer arguments, CallOptions call) {
    CallImpl made = make(function, arguments, call);
    execute(() -> begin(made));
    return made;
  }

  @Override
  public List<Call> callAll(String function, List<Buffer> arguments, CallOptions call) {
    List<CallImpl> all = new ArrayList<>(arguments.size());
    arguments.forEach(each -> all.add(make(function, each, call)));
    execute(() -> {
      all.forEach(dispatcher::add);
      dispatcher.dispatch();
    });
    return List.copyOf(all);
  }

  @Override
  public ResultStream stream(String function, Buffer arguments, CallOptions call) {
    ResultStreamImpl stream = new ResultStreamImpl(vertx.getOrCreateContext());
    CallImpl made = make(function, arguments, call);
    made.stream = stream;
    stream.call(made);
    execute(() -> begin(made));
    return stream;
  }

  private CallImpl make(String function, Buffer arguments, CallOptions call) {
    Objects.requireNonNull(function, "function");
    Duration timeout = call.timeout() == null ? options.getTimeout() : call.timeout();
    Objects.requireNonNull(arguments, "arguments");
    ContextInternal caller = vertx.getOrCreateContext();
    Promise<Buffer> result = caller.promise();
    Buffer sent = arguments;
    if (tracer != null) {
      Buffer headers = tracer.calls(caller, function, result.future());
      sent = headers.length() == 0 ? arguments : headers.appendBuffer(arguments);
    }
    return new CallImpl(this, function, sent, sent.length() - arguments.length(), call.maxResult(),
      call.retries() == null ? options.getRetries() : call.retries(), timeout.toNanos(), result);
  }

  private void begin(CallImpl call) {
    dispatcher.add(call);
    dispatcher.dispatch();
  }

  FunctionException withoutLease(String function) {
    return new FunctionException(Reason.LEASE_ENDED, "function '" + function + "' cannot be called: this client has no lease"
      + (lastEnd == null ? "; ask for one" : " any more: " + lastEnd.getMessage()));
  }

  @Override
  public int waiting() {
    return dispatcher.waiting();
  }

  @Override
  public Future<Void> close() {
    return submit(() -> {
      if (!closed) {
        closed = true;
        FunctionException why = new FunctionException(Reason.CLOSED, "the client was closed");
        dispatcher.close(why);
        pools.clear();
        List.copyOf(searches).forEach(search -> search.fail(closed()));
        leases.forEach(lease -> lease.end(why));
      }
      return arrivals.close().compose(v -> allClosed()).onComplete(done -> context.removeCloseHook(closeHook));
    });
  }

  /** Lets {@link #close} wait for a future. */
  void closes(Future<?> future) {
    closing.add(future);
    future.onComplete(done -> closing.remove(future));
  }

  private Future<Void> allClosed() {
    return closing.isEmpty() ? Future.succeededFuture() : Future.join(List.copyOf(closing)).transform(v -> allClosed());
  }
}
