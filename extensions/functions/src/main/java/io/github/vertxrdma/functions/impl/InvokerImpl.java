package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.Call;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Invoker;
import io.github.vertxrdma.functions.InvokerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.ResultStream;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Calls, and the leases they go to. Confined to one event loop but for what {@link Invoker} offers. */
public final class InvokerImpl implements Invoker {
  /** How often the time of calls is looked at. */
  private static final long TICK_MILLIS = 10;

  private final VertxInternal vertx;
  private final Rdma rdma;
  private final InvokerOptions options;
  private final ContextInternal context;
  private final CallTracer tracer;
  private final CopyOnWriteArrayList<LeaseImpl> leases = new CopyOnWriteArrayList<>();
  private final List<LeaseImpl> closing = new ArrayList<>();
  private final ArrayDeque<CallImpl> queue = new ArrayDeque<>();
  private volatile int waiting;
  private int limited;
  private long ticker = -1;
  private boolean dispatching;
  private final ColdArrivals arrivals;
  private FunctionException lastEnd;
  private boolean closed;

  public InvokerImpl(Vertx vertx, Rdma rdma, InvokerOptions options) {
    this.vertx = (VertxInternal) vertx;
    this.rdma = rdma;
    this.options = new InvokerOptions(options);
    this.tracer = CallTracer.of(vertx);
    ContextInternal current = this.vertx.getOrCreateContext();
    this.context = current.isEventLoopContext() ? current.unwrap() : this.vertx.createEventLoopContext();
    this.arrivals = new ColdArrivals(rdma);
    context.addCloseHook((Completable<Void> done) -> close().onComplete(done));
  }

  Vertx vertx() {
    return vertx;
  }

  ColdArrivals arrivals() {
    return arrivals;
  }

  InvokerOptions options() {
    return options;
  }

  /** Runs on the invoker's event loop, at once if this is it. */
  void execute(Runnable task) {
    if (vertx.getContext() instanceof ContextInternal current && current.unwrap() == context && context.inThread()) {
      task.run();
    } else {
      context.runOnContext(v -> task.run());
    }
  }

  <T> Future<T> submit(Supplier<Future<T>> task) {
    Promise<T> promise = vertx.getOrCreateContext().promise();
    execute(() -> task.get().onComplete(promise));
    return promise.future();
  }

  // ---- leases

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
      throw new IllegalArgumentException("memory of " + copy.getMemory() + " bytes for " + copy.getSlots() + " slots: "
        + LeaseOptions.LEAST_SLOT + " bytes for each at least");
    }
    return submit(() -> new LeaseSearch(this, rdma, copy, code).find());
  }

  /** A lease can be used. */
  void leased(LeaseImpl lease) {
    leases.add(lease);
  }

  void ended(LeaseImpl lease, FunctionException why) {
    leases.remove(lease);
    closing.removeIf(other -> other.released().isComplete());
    closing.add(lease);
    lastEnd = why;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public List<Lease> leases() {
    return List.copyOf(leases);
  }

  // ---- calls

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
      all.forEach(this::enqueue);
      dispatch();
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
    long millis = call.timeoutMillis() < 0 ? options.getTimeoutMillis() : call.timeoutMillis();
    Objects.requireNonNull(arguments, "arguments");
    ContextInternal caller = vertx.getOrCreateContext();
    Promise<Buffer> result = caller.promise();
    Buffer sent = arguments;
    if (tracer != null) {
      Buffer headers = tracer.calls(caller, function, result.future());
      sent = headers.length() == 0 ? arguments : headers.appendBuffer(arguments);
    }
    return new CallImpl(this, function, sent, sent.length() - arguments.length(), call.maxResult(),
      call.retries() < 0 ? options.getRetries() : call.retries(), TimeUnit.MILLISECONDS.toNanos(millis), result);
  }

  private void begin(CallImpl call) {
    enqueue(call);
    dispatch();
  }

  private void enqueue(CallImpl call) {
    if (call.isDone()) {
      return;
    }
    if (call.limited) {
      call.counted = true;
      if (++limited == 1 && ticker < 0) {
        ticker = vertx.setPeriodic(TICK_MILLIS, t -> tick());
      }
    }
    if (closed) {
      call.fail(new FunctionException(Reason.CLOSED, "the invoker is closed"));
    } else if (queue.size() > options.getMaxWaiting()) {
      call.fail(new FunctionException(Reason.TOO_MANY_CALLS, "the call of function '" + call.function + "' was refused: "
        + queue.size() + " calls wait for a free worker; lease more workers, or raise maxWaiting"));
    } else {
      queue.add(call);
    }
  }

  void finished(CallImpl call) {
    if (call.counted) {
      limited--;
    }
  }

  /** Sends what waits, as far as there are free slots. */
  void dispatch() {
    if (dispatching) {
      return;
    }
    dispatching = true;
    try {
      for (CallImpl call; (call = queue.peek()) != null;) {
        if (call.isDone()) {
          queue.remove();
          continue;
        }
        WorkerLink link = choose(call);
        if (link == null) {
          FunctionException never = impossible(call);
          if (never == null) {
            break;
          }
          queue.remove();
          call.fail(never);
          continue;
        }
        link.send(queue, Math.max(1, (queue.size() + workers() - 1) / workers()));
      }
    } finally {
      dispatching = false;
      waiting = queue.size();
    }
  }

  private int workers() {
    int count = 0;
    for (LeaseImpl lease : leases) {
      count += lease.links().size();
    }
    return Math.max(1, count);
  }

  /** The worker with the most free slots of those that can take the call now. */
  private WorkerLink choose(CallImpl call) {
    WorkerLink best = null;
    for (LeaseImpl lease : leases) {
      if (lease.function(call.function) != null) {
        for (WorkerLink link : lease.links()) {
          if ((best == null || link.slots.available() > best.slots.available()) && link.slotsFor(call) > 0) {
            best = link;
          }
        }
      }
    }
    return best;
  }

  /** Why no worker will ever take a call; null if one will. */
  private FunctionException impossible(CallImpl call) {
    if (leases.isEmpty()) {
      return new FunctionException(Reason.LEASE_ENDED, "function '" + call.function + "' cannot be called: this invoker has no lease"
        + (lastEnd == null ? "; ask for one" : " any more: " + lastEnd.getMessage()));
    }
    TreeSet<String> known = new TreeSet<>();
    int largest = 0;
    for (LeaseImpl lease : leases) {
      lease.functionNames().forEach(known::add);
      if (lease.function(call.function) != null) {
        largest = Math.max(largest, lease.options().getMemory() / lease.options().getSlots() / 8 * 8 * lease.options().getSlots());
        for (WorkerLink link : lease.links()) {
          if (link.slotsFor(call) != -2) {
            return null;
          }
        }
      }
    }
    if (!known.contains(call.function)) {
      return new FunctionException(Reason.UNKNOWN_FUNCTION, "no leased worker has a function '" + call.function + "'; they have " + known
        + ", as far as they were registered before the lease was granted");
    }
    if (largest == 0) {
      return null;
    }
    return call.arguments.length() > largest - Wire.CALL_HEADER
      ? new FunctionException(Reason.ARGUMENTS_TOO_LARGE, "the arguments of function '" + call.function + "' have "
        + call.arguments.length() + " bytes, and workers have input regions for " + (largest - Wire.CALL_HEADER)
        + "; lease them with more memory")
      : new FunctionException(Reason.RESULT_TOO_LARGE, "function '" + call.function + "' was called with room for a result of "
        + call.maxResult + " bytes, and there is room for " + (largest - Wire.RESULT_HEADER) + "; lease workers with more memory");
  }

  /** Its worker is gone, and it has no answer. */
  void lost(CallImpl call, FunctionException why) {
    LeaseImpl.Function function = call.link.lease().function(call.function);
    if (!closed && function.idempotent() && call.retries > 0 && !leases.isEmpty() && (call.stream == null || !call.stream.hasBegun())) {
      call.retries--;
      call.link = null;
      queue.addFirst(call);
      return;
    }
    call.fail(new FunctionException(why.reason(), "the call of function '" + call.function + "', invocation "
      + Long.toHexString(call.id) + ", has no result, and may have run: " + why.getMessage(), why));
  }

  private void tick() {
    if (limited == 0) {
      vertx.cancelTimer(ticker);
      ticker = -1;
      return;
    }
    long now = System.nanoTime();
    queue.forEach(call -> expire(call, now));
    for (LeaseImpl lease : leases) {
      for (WorkerLink link : lease.links()) {
        for (int slot = 0, left = link.inFlight(); left > 0 && slot < Wire.MAX_SLOTS; slot++) {
          CallImpl call = link.call(slot);
          if (call != null) {
            left--;
            expire(call, now);
          }
        }
      }
    }
  }

  private static void expire(CallImpl call, long now) {
    if (call.limited && !call.isDone() && call.deadline - now < 0) {
      call.giveUp(Reason.TIMEOUT, "timed out");
    }
  }

  @Override
  public int waiting() {
    return waiting;
  }

  // ---- its end

  @Override
  public Future<Void> close() {
    return submit(() -> {
      if (!closed) {
        closed = true;
        FunctionException why = new FunctionException(Reason.CLOSED, "the invoker was closed");
        queue.forEach(call -> call.fail(why));
        queue.clear();
        leases.forEach(Lease::end);
        if (ticker >= 0) {
          vertx.cancelTimer(ticker);
        }
      }
      Collection<Future<Void>> all = new ArrayList<>();
      closing.forEach(lease -> all.add(lease.ended().otherwiseEmpty().compose(v -> lease.released())));
      all.add(arrivals.close());
      return Future.join(List.copyOf(all)).otherwiseEmpty().mapEmpty();
    });
  }
}
