package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.grpc.Balancing;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcInterceptor;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.Address;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcLocal;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;

/** A client with one connection for each context and server. Thread-safe. */
public final class ClientImpl implements RdmaGrpcClient {
  private static final String CLOSED = "the client was closed";
  private static final long CHECK_MILLIS = 1_000;
  /** Time for which a server must be suspected before its calls are repeated on another. */
  private static final long SUSPECTED_MILLIS = 8_000;
  private static final long NO_TIMER = -1;
  private static final long STARTING_TIMER = -2;

  private final VertxInternal vertx;
  private final Rdma rdma;
  /** Context of calls from threads without one. */
  private final ContextInternal own;
  final RdmaGrpcClientOptions options;
  private final Address server;
  private final CallFrame.Settings settings;
  private final Set<String> idempotent;
  final Interceptors interceptors = new Interceptors();
  final ClientObserver observer;
  private final Map<LinkKey, Connecting> links = new ConcurrentHashMap<>();
  /** All open connections, including those that begin no more calls. */
  private final Set<ClientLink> open = ConcurrentHashMap.newKeySet();
  final Set<ClientCall<?, ?>> pausing = ConcurrentHashMap.newKeySet();
  /** Timer that checks the servers of all connections, started with the first connection. */
  private final AtomicLong checkTimer = new AtomicLong(NO_TIMER);
  final Attempts.Limits attempts;
  private final Instances instances;
  private volatile RdmaDirectory directory;
  /** Destination of the last call, cached because a stub uses one address for all calls. */
  private volatile Destination last;
  /** Path of the last call, cached because most calls have the same method. */
  private volatile Path lastPath;
  private volatile boolean closed;

  /**
   * Key of a connection that calls share.
   *
   * @param nodeId null for a host and port
   */
  private record LinkKey(ContextInternal context, String nodeId, long epoch, int instance, String name) {
    boolean isOf(ContextInternal calling, String called) {
      return context == calling && nodeId != null && name.equals(called);
    }
  }

  private record Path(ServiceName service, String method, String text) {
  }

  private record Connecting(Promise<ClientLink> promise, AtomicInteger asked) {
    Future<ClientLink> link() {
      return promise.future();
    }

    int outstanding() {
      return link().succeeded() ? link().result().outstanding() : asked.get();
    }
  }

  public ClientImpl(Rdma rdma, RdmaGrpcClientOptions options) {
    this(rdma, options, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** @param chance source of random numbers from 0 to less than 1 */
  ClientImpl(Rdma rdma, RdmaGrpcClientOptions options, DoubleSupplier chance) {
    this.vertx = (VertxInternal) rdma.vertx();
    this.rdma = rdma;
    this.own = this.vertx.createEventLoopContext();
    this.options = new RdmaGrpcClientOptions(options);
    this.server = options.getServer() == null ? null : Destination.address(options.getServer());
    this.observer = ClientObserver.of(this.vertx, options.getTracingPolicy());
    this.idempotent = Set.copyOf(options.getIdempotentMethods());
    this.attempts = new Attempts.Limits(options.getMaxAttempts(), options.getInitialBackoff(), options.getMaxBackoff(), chance);
    this.instances = new Instances(rdma::isSuspected, chance);
    this.settings = new CallFrame.Settings(CallLink.VERSIONS, options.getMaxMessageSize(), options.getMaxMetadataSize(), 0,
      options.getCallWindow());
  }

  boolean isClosed() {
    return closed;
  }

  boolean isIdempotent(String path) {
    return idempotent.contains(path);
  }

  @Override
  public RdmaGrpcClient addInterceptor(RdmaGrpcInterceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  @Override
  public Future<GrpcClientRequest<Buffer, Buffer>> request(Address server) {
    return request(destination(server), GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY, null);
  }

  @Override
  public Future<GrpcClientRequest<Buffer, Buffer>> request() {
    return request(defaultServer());
  }

  @Override
  public <Req, Resp> Future<GrpcClientRequest<Req, Resp>> request(Address server, ServiceMethod<Resp, Req> method) {
    return request(destination(server), method.encoder(), method.decoder(), method);
  }

  @Override
  public <Req, Resp> Future<GrpcClientRequest<Req, Resp>> request(ServiceMethod<Resp, Req> method) {
    return request(defaultServer(), method);
  }

  private Address defaultServer() {
    if (server == null) {
      throw new IllegalStateException("this call names no server. Pass an address, or set RdmaGrpcClientOptions.setServer");
    }
    return server;
  }

  private Destination destination(Address address) {
    Destination known = last;
    if (known == null || known.address() != address) {
      last = known = Destination.of(address);
    }
    return known;
  }

  String path(ServiceName service, String method) {
    Path known = lastPath;
    if (known == null || known.service() != service || !known.method().equals(method)) {
      lastPath = known = new Path(service, method, service.fullyQualifiedName() + '/' + method);
    }
    return known.text();
  }

  private <Req, Resp> Future<GrpcClientRequest<Req, Resp>> request(Destination destination, GrpcMessageEncoder<Req> encoder,
    GrpcMessageDecoder<Resp> decoder, ServiceMethod<Resp, Req> method) {
    ContextInternal current = vertx.getContext();
    ContextInternal context = current == null ? own : current;
    long timeoutNanos = timeoutNanos(context);
    Future<ClientLink> link = link(context, destination);
    if (link.succeeded()) {
      return context
        .succeededFuture(begun(new ClientCall<>(this, context, destination, link.result(), encoder, decoder), method, timeoutNanos));
    }
    Promise<GrpcClientRequest<Req, Resp>> promise = context.promise();
    Timer deadline = timeoutNanos == 0 ? null : context.timer(timeoutNanos, TimeUnit.NANOSECONDS);
    if (deadline != null && options.isScheduleDeadline()) {
      deadline.onSuccess(v -> {
        GrpcErrorException late = new GrpcErrorException(GrpcError.CANCELLED, GrpcStatus.DEADLINE_EXCEEDED);
        late.initCause(new RdmaException(RdmaException.Reason.TIMEOUT, "the call" + (method == null ? "" : " of " + method.fullMethodName())
          + " to " + destination + " had no connection to a server before its deadline"));
        promise.tryFail(late);
      });
    }
    link.onComplete((to, cause) -> CallLink.dispatch(context, () -> {
      long left = deadline == null ? 0 : Math.max(1, deadline.getDelay(TimeUnit.NANOSECONDS));
      if (deadline != null) {
        deadline.cancel();
      }
      if (cause != null) {
        promise.tryFail(cause);
      } else {
        promise.tryComplete(begun(new ClientCall<>(this, context, destination, to, encoder, decoder), method, left));
      }
    }));
    return promise.future();
  }

  private static <Req, Resp> GrpcClientRequest<Req, Resp> begun(ClientCall<Req, Resp> call, ServiceMethod<Resp, Req> method,
    long timeoutNanos) {
    if (method != null) {
      call.serviceName(method.serviceName()).methodName(method.methodName());
    }
    return call.timeout(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** Returns the remaining nanoseconds of the call that the context serves. Without such a call, returns the option; 0 for none. */
  private long timeoutNanos(ContextInternal context) {
    GrpcLocal serving = context.getLocal(GrpcLocal.CONTEXT_LOCAL_KEY);
    if (serving == null) {
      return TimeUnit.MILLISECONDS.toNanos(options.getTimeout().toMillis());
    }
    // Vert.x keeps the deadline of a call over HTTP/2 as wall-clock time.
    return Math.max(1, serving instanceof ServerRequest.ServedDeadline served ? served.leftNanos()
      : TimeUnit.MILLISECONDS.toNanos(serving.deadline().toEpochMilli() - System.currentTimeMillis()));
  }

  Future<ClientLink> link(ContextInternal context, Destination destination) {
    ContextInternal base = context.unwrap();
    if (closed) {
      return base.failedFuture(CLOSED);
    }
    if (destination.name() == null) {
      return link(new LinkKey(base, null, 0, 0, destination.address().toString()), null, destination.address());
    }
    RdmaDirectory known = directory;
    if (known != null) {
      List<ServiceEntry> listed = known.services(destination.name());
      if (!listed.isEmpty()) {
        return link(base, listed);
      }
      Optional<Future<ClientLink>> there = openTo(base, destination.name());
      if (there.isPresent()) {
        return there.get();
      }
    }
    return rdma.directory().compose(opened -> {
      directory = opened;
      return opened.awaitServices(destination.name(), options.getLookupTimeout())
        .recover(cause -> Future.failedFuture(new IllegalStateException("no server '" + destination.name() + "' was found within "
          + options.getLookupTimeout().toMillis() + " ms. Check that it listens and uses the same directory", cause)));
    }).compose(listed -> link(base, listed));
  }

  /** Returns the open connection with the fewest calls to servers of a name that is no longer in the directory. */
  private Optional<Future<ClientLink>> openTo(ContextInternal base, String name) {
    return links.entrySet().stream().filter(there -> there.getKey().isOf(base, name)).map(Map.Entry::getValue)
      .filter(there -> there.link().succeeded() && there.link().result().isOpen())
      .min(Comparator.comparingInt(Connecting::outstanding)).map(Connecting::link);
  }

  private Future<ClientLink> link(ContextInternal base, List<ServiceEntry> listed) {
    return listed.size() == 1 ? link(base, listed.getFirst())
      : Instances.first(instances.order(listed, options.getBalancing() == Balancing.LEAST_OUTSTANDING
        ? Comparator.comparingInt(instance -> outstanding(base, instance)) : null), instance -> link(base, instance), cause -> false);
  }

  /** Repeats the calls of a suspected server on other servers. */
  private void check(ClientLink link) {
    link.suspectedChecks = rdma.isSuspected(link.nodeId()) ? link.suspectedChecks + 1 : 0;
    if (link.suspectedChecks * CHECK_MILLIS >= SUSPECTED_MILLIS) {
      link.context.execute(link::moveCalls);
    }
  }

  private void startChecks() {
    if (checkTimer.compareAndSet(NO_TIMER, STARTING_TIMER)) {
      // A timer of the client's own context survives the verticle that makes a call.
      checkTimer.set(own.setPeriodic(CHECK_MILLIS, id -> open.forEach(this::check)));
      if (closed) {
        // close() may have read the timer before it was set.
        vertx.cancelTimer(checkTimer.get());
      }
    }
  }

  boolean hasOther(Destination destination) {
    RdmaDirectory known = directory;
    return known != null && destination.name() != null && instances.anyResponds(known.services(destination.name()));
  }

  private Future<ClientLink> link(ContextInternal base, ServiceEntry instance) {
    return link(key(base, instance), instance, null);
  }

  private static LinkKey key(ContextInternal base, ServiceEntry instance) {
    return new LinkKey(base, instance.nodeId(), instance.epoch(), instance.instance(), instance.name());
  }

  private int outstanding(ContextInternal base, ServiceEntry instance) {
    Connecting there = links.get(key(base, instance));
    return there == null ? 0 : there.outstanding();
  }

  private Future<ClientLink> link(LinkKey key, ServiceEntry instance, SocketAddress address) {
    Connecting there = links.get(key);
    if (there == null) {
      Connecting connecting = new Connecting(key.context.promise(), new AtomicInteger(1));
      there = links.putIfAbsent(key, connecting);
      if (there == null) {
        open(key, connecting, instance, address);
        return connecting.link();
      }
    }
    if (!there.link().isComplete()) {
      there.asked.incrementAndGet();
    }
    return there.link();
  }

  private void avoid(ServiceEntry instance) {
    RdmaDirectory known = directory;
    if (instance != null && known != null) {
      instances.avoid(instance, known.services(instance.name()));
    }
  }

  private void open(LinkKey key, Connecting connecting, ServiceEntry instance, SocketAddress address) {
    Promise<ClientLink> promise = connecting.promise;
    Runnable unlist = () -> links.remove(key, connecting);
    promise.future().onFailure(cause -> unlist.run());
    RdmaConnectOptions connect = new RdmaConnectOptions().setFabric(options.getFabric()).setLookupTimeout(options.getLookupTimeout());
    key.context.runOnContext(v -> (instance == null ? rdma.connect(address, connect) : rdma.connect(instance, connect))
      .compose(connection -> {
        ClientLink link = new ClientLink(key.context, connection, settings, unlist, () -> avoid(instance), open::remove);
        open.add(link);
        startChecks();
        Future<ClientLink> opening = link.open();
        if (closed) {
          link.close(new IllegalStateException(CLOSED));
        }
        return opening;
      }).onComplete(promise));
  }

  @Override
  public Future<Void> close() {
    closed = true;
    vertx.cancelTimer(checkTimer.get());
    List<Future<Void>> closing = new ArrayList<>();
    pausing.forEach(call -> call.context.execute(() -> call.unavailable(new IllegalStateException(CLOSED))));
    links.values().forEach(connecting -> closing.add(connecting.link().transform(any -> Future.succeededFuture())));
    for (ClientLink link : open) {
      Promise<Void> done = Promise.promise();
      closing.add(done.future());
      link.context.execute(() -> link.close(new IllegalStateException(CLOSED)).onComplete((v, late) -> done.complete()));
    }
    return Future.join(closing).<Void>mapEmpty().eventually(() -> {
      if (observer != null) {
        observer.close();
      }
      return Future.succeededFuture();
    });
  }
}
