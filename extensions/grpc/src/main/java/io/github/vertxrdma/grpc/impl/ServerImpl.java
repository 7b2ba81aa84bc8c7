package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.github.vertxrdma.grpc.RdmaGrpcInterceptor;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Timer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A server of calls over RDMA, with a Vert.x {@code GrpcServer} for HTTP/2. Thread-safe. */
public final class ServerImpl implements RdmaGrpcServer {
  private final VertxInternal vertx;
  final RdmaGrpcServerOptions options;
  private final CallFrame.Settings settings;
  private final GrpcServer httpServer;
  private final RdmaServer server;
  final Interceptors interceptors = new Interceptors();
  private final List<Service> services = new CopyOnWriteArrayList<>();
  private final Map<String, Method<?, ?>> methods = new ConcurrentHashMap<>();
  private final Set<ServerLink> links = ConcurrentHashMap.newKeySet();
  private volatile Method<Buffer, Buffer> other;
  private volatile String closing;
  /** Context of the connections; null before the server has listened. */
  private volatile ContextInternal listening;
  private volatile ServerObserver observer;

  public ServerImpl(Rdma rdma, RdmaGrpcServerOptions options) {
    this.vertx = (VertxInternal) rdma.vertx();
    this.options = new RdmaGrpcServerOptions(options);
    this.settings = new CallFrame.Settings(CallLink.VERSIONS, options.getMaxMessageSize(), options.getMaxMetadataSize(),
      options.getMaxCalls(), options.getCallWindow());
    this.httpServer = GrpcServer.server(vertx, http(options));
    this.server = rdma.createServer().connectHandler(this::connected);
  }

  private static GrpcServerOptions http(RdmaGrpcServerOptions options) {
    GrpcServerOptions http = new GrpcServerOptions().setMaxMessageSize(options.getMaxMessageSize())
      .setScheduleDeadlineAutomatically(options.isScheduleDeadline()).setDeadlinePropagation(options.isDeadlinePropagation());
    for (GrpcProtocol protocol : GrpcProtocol.values()) {
      if (options.isProtocolEnabled(protocol)) {
        http.addEnabledProtocol(protocol);
      } else {
        http.removeEnabledProtocol(protocol);
      }
    }
    return http;
  }

  Method<?, ?> method(String path) {
    Method<?, ?> method = methods.get(path);
    return method == null ? other : method;
  }

  private void connected(RdmaConnection connection) {
    ContextInternal context = vertx.getOrCreateContext();
    ServerLink link = new ServerLink(this, context, connection, settings);
    links.add(link);
    link.greet();
  }

  /** Returns the reason for which the server accepts no more calls; null while it accepts calls. */
  String closing() {
    return closing;
  }

  void linkClosed(ServerLink link) {
    links.remove(link);
  }

  Observation observe(ContextInternal context, int number, RdmaConnection from, RdmaGrpcCall call) {
    ServerObserver asked = observer;
    return asked == null ? Observation.NONE : asked.begins(context, number, from, call);
  }

  @Override
  public Future<RdmaGrpcServer> listen(String name) {
    listening = vertx.getOrCreateContext();
    return listening(Destination.address(name), server.listen(name));
  }

  @Override
  public Future<RdmaGrpcServer> listen(SocketAddress address) {
    listening = vertx.getOrCreateContext();
    return listening(address, server.listen(address));
  }

  private Future<RdmaGrpcServer> listening(SocketAddress address, Future<?> listening) {
    return listening.map(v -> {
      begun(address);
      return this;
    });
  }

  private synchronized void begun(SocketAddress address) {
    closing = null;
    if (observer == null) {
      observer = ServerObserver.of(vertx, address, options.getTracingPolicy());
    }
  }

  private synchronized void ended() {
    if (observer != null) {
      observer.close();
      observer = null;
    }
  }

  @Override
  public int actualPort() {
    return server.actualPort();
  }

  @Override
  public void handle(HttpServerRequest request) {
    ContextInternal context = ((HttpServerRequestInternal) request).context();
    String path = request.path();
    HttpCall call = new HttpCall(context, path != null && path.startsWith("/") ? path.substring(1) : "", request);
    context.putLocal(CallLocal.KEY, AccessMode.CONCURRENT, call);
    Future<Void> passed = interceptors.run(context, call);
    if (passed.succeeded()) {
      httpServer.handle(request);
      return;
    }
    // Pauses the HTTP request and not the call, which the handler may pause and resume.
    request.pause();
    passed.onComplete((v, cause) -> {
      call.refuse(cause);
      httpServer.handle(request);
      request.resume();
    });
  }

  private static <Req, Resp> Handler<GrpcServerRequest<Req, Resp>> unlessRefused(Handler<GrpcServerRequest<Req, Resp>> handler) {
    return request -> {
      Throwable refusal = RdmaGrpcCall.current() instanceof HttpCall call ? call.begin(request.response()) : null;
      if (refusal != null) {
        request.response().fail(refusal);
      } else {
        handler.handle(request);
      }
    };
  }

  @Override
  public RdmaGrpcServer callHandler(Handler<GrpcServerRequest<Buffer, Buffer>> handler) {
    other = handler == null ? null : Method.any(handler);
    httpServer.callHandler(handler == null ? null : unlessRefused(handler));
    return this;
  }

  @Override
  public <Req, Resp> RdmaGrpcServer callHandler(ServiceMethod<Req, Resp> method, Handler<GrpcServerRequest<Req, Resp>> handler) {
    String path = method.fullMethodName();
    Method<?, ?> before = handler == null ? methods.remove(path) : methods.put(path, Method.of(method, handler));
    if (before != null) {
      // Removes the old handler first: Vert.x's server would keep it.
      httpServer.callHandler(before.served(), null);
    }
    if (handler != null) {
      httpServer.callHandler(method, unlessRefused(handler));
    }
    return this;
  }

  @Override
  public RdmaGrpcServer addInterceptor(RdmaGrpcInterceptor interceptor) {
    interceptors.add(interceptor);
    return this;
  }

  @Override
  public RdmaGrpcServer addService(Service service) {
    if (services.stream().anyMatch(known -> known.name().equals(service.name()))) {
      throw new IllegalStateException("service " + service.name().fullyQualifiedName() + " is already added: add each service once");
    }
    services.add(service);
    service.bind(this);
    return this;
  }

  @Override
  public List<Service> services() {
    return List.copyOf(services);
  }

  @Override
  public Future<Void> shutdown(Duration grace) {
    String reason = "the server is closing";
    closing = reason;
    return server.withdraw().transform(v -> {
      Future<Void> idle = accepted().compose(accepted -> idle(reason));
      Timer late = vertx.timer(Math.max(1, grace.toMillis()));
      return Future.any(idle, late).transform(any -> {
        late.cancel();
        return all(link -> link.close(null));
      });
    }).onComplete((v, cause) -> ended());
  }

  @Override
  public Future<Void> close() {
    closing = "the server was closed";
    return server.withdraw().transform(v -> all(link -> link.close(null))).onComplete((v, cause) -> ended());
  }

  /** Completes when {@link #connected} was called for all connections that the server had accepted. */
  private Future<Void> accepted() {
    ContextInternal at = listening;
    return at == null ? Future.succeededFuture() : at.future(promise -> at.runOnContext(v -> promise.complete()));
  }

  /** Completes when all connections are idle, including those that were accepted meanwhile. */
  private Future<Void> idle(String reason) {
    List<ServerLink> asked = List.copyOf(links);
    return all(link -> link.leave(reason)).compose(v -> asked.containsAll(links) ? Future.succeededFuture() : idle(reason));
  }

  private Future<Void> all(Function<ServerLink, Future<Void>> what) {
    List<Future<Void>> done = new ArrayList<>();
    for (ServerLink link : links) {
      Promise<Void> promise = Promise.promise();
      done.add(promise.future());
      // compose turns an exception into a failure, which does not affect other connections.
      link.context
        .execute(() -> Future.succeededFuture().compose(v -> what.apply(link)).onComplete((v, cause) -> promise.complete()));
    }
    return Future.join(done).mapEmpty();
  }
}
