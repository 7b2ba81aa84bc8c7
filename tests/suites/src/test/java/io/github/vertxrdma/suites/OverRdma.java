package io.github.vertxrdma.suites;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ForwardingServerBuilder;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.Address;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientOptions;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.Service;
import io.vertx.grpc.server.impl.GrpcServerImpl;
import io.vertx.grpcio.client.GrpcIoClient;
import io.vertx.grpcio.client.GrpcIoClientChannel;
import io.vertx.grpcio.client.impl.GrpcIoClientImpl;
import io.vertx.grpcio.server.GrpcIoServer;
import io.vertx.grpcio.server.GrpcIoServiceBridge;
import io.vertx.grpcio.server.impl.GrpcIoServerImpl;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients and servers of gRPC over a fabric, made where tests ask for those of HTTP/2: of Vert.x, and of grpc-java by Vert.x's bridges to its
 * interfaces. A port becomes a name that is looked up.
 */
public final class OverRdma {
  /** The port that all tests of servers take. */
  private static final int PORT = 8080;
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final Map<Vertx, Rdma> NODES = new WeakHashMap<>();
  /** Ports that are served; a test with a server of HTTP calls that. */
  private static final Set<Integer> SERVED = ConcurrentHashMap.newKeySet();
  /** The node of grpc-java's clients and servers, which have no Vert.x. */
  private static final Vertx OTHER_SIDE = Vertx.vertx();

  private static final LongAdder CALLS = new LongAdder();

  private OverRdma() {
  }

  /** Calls that were served over a fabric. */
  static long calls() {
    return CALLS.sum();
  }

  /** The class whose static method of the same descriptor is replaced. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface InPlaceOf {
    Class<?> value();
  }

  @InPlaceOf(GrpcClient.class)
  public static GrpcClient client(Vertx vertx) {
    return client(vertx, new GrpcClientOptions());
  }

  @InPlaceOf(GrpcClient.class)
  public static GrpcClient client(Vertx vertx, GrpcClientOptions options) {
    return ioClient(vertx, options);
  }

  @InPlaceOf(GrpcIoClient.class)
  public static GrpcIoClient ioClient(Vertx vertx) {
    return ioClient(vertx, new GrpcClientOptions());
  }

  @InPlaceOf(GrpcServer.class)
  public static GrpcServer server(Vertx vertx) {
    return server(vertx, new GrpcServerOptions());
  }

  @InPlaceOf(GrpcServer.class)
  public static GrpcServer server(Vertx vertx, GrpcServerOptions options) {
    return listening(vertx, options, PORT);
  }

  @InPlaceOf(GrpcIoServer.class)
  public static GrpcIoServer ioServer(Vertx vertx) {
    return listening(vertx, new GrpcServerOptions(), PORT);
  }

  @InPlaceOf(ManagedChannelBuilder.class)
  public static ManagedChannelBuilder<?> channel(String host, int port) {
    return new ChannelBuilder(host, port);
  }

  @InPlaceOf(ServerBuilder.class)
  public static ServerBuilder<?> serverBuilder(int port) {
    return new Builder(port);
  }

  private static synchronized Rdma node(Vertx vertx) {
    return NODES.computeIfAbsent(vertx, Rdma::create);
  }

  private static String name(int port) {
    return "port-" + port;
  }

  private static GrpcIoClient ioClient(Vertx vertx, GrpcClientOptions options) {
    RdmaGrpcClient over = RdmaGrpcClient.create(vertx, node(vertx), new RdmaGrpcClientOptions()
      .setTimeout(Duration.ofMillis(options.getTimeoutUnit().toMillis(options.getTimeout())))
      .setScheduleDeadline(options.getScheduleDeadlineAutomatically())
      .setMaxMessageSize((int) options.getMaxMessageSize()));
    // Requests of a grpc-java method become requests of a Vert.x method, which come here.
    return new GrpcIoClientImpl(vertx, options, vertx.createHttpClient(new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2)
      .setHttp2ClearTextUpgrade(false)), true) {
      @Override
      public <Req, Resp> Future<GrpcClientRequest<Req, Resp>> request(Address server, ServiceMethod<Resp, Req> method) {
        int port = ((SocketAddress) server).port();
        return SERVED.contains(port) ? over.request(RdmaGrpcClient.address(name(port)), method) : super.request(server, method);
      }

      @Override
      public Future<GrpcClientRequest<Buffer, Buffer>> request(Address server) {
        int port = ((SocketAddress) server).port();
        return SERVED.contains(port) ? over.request(RdmaGrpcClient.address(name(port))) : super.request(server);
      }

      @Override
      public Future<Void> close() {
        return over.close().eventually(super::close);
      }
    };
  }

  private static ListeningServer listening(Vertx vertx, GrpcServerOptions options, int port) {
    RdmaGrpcServer over = RdmaGrpcServer.create(vertx, node(vertx), new RdmaGrpcServerOptions()
      .setScheduleDeadline(options.getScheduleDeadlineAutomatically()).setDeadlinePropagation(options.getDeadlinePropagation())
      .setMaxMessageSize((int) options.getMaxMessageSize()));
    over.addInterceptor(call -> {
      if (call.remoteNodeId() != null) {
        CALLS.increment();
      }
      return Future.succeededFuture();
    });
    Future<RdmaGrpcServer> listening = over.listen(name(port));
    if (!Context.isOnEventLoopThread()) {
      listening.await();
    }
    SERVED.add(port);
    return new ListeningServer(vertx, options, over);
  }

  /** Hands on what is registered with it, and what comes by HTTP/2 none the less. */
  private static final class ListeningServer extends GrpcIoServerImpl {
    private final RdmaGrpcServer over;
    /** Whether handlers find the encoding among the headers, as those of grpc-java do. */
    private boolean withEncoding;

    private ListeningServer(Vertx vertx, GrpcServerOptions options, RdmaGrpcServer over) {
      super(vertx, options);
      this.over = over;
    }

    @Override
    public void handle(HttpServerRequest request) {
      over.handle(request);
    }

    @Override
    public GrpcIoServerImpl callHandler(Handler<GrpcServerRequest<Buffer, Buffer>> handler) {
      over.callHandler(handler);
      return this;
    }

    @Override
    public <Req, Resp> GrpcServerImpl callHandler(ServiceMethod<Req, Resp> method, Handler<GrpcServerRequest<Req, Resp>> handler) {
      over.callHandler(method, !withEncoding ? handler : call -> {
        call.headers().set("grpc-encoding", call.encoding());
        handler.handle(call);
      });
      return this;
    }

    @Override
    public GrpcServerImpl addService(Service service) {
      service.bind(this);
      return this;
    }
  }

  /** A builder of channels of grpc-java. */
  private static final class ChannelBuilder extends ForwardingChannelBuilder2<ChannelBuilder> {
    private final ManagedChannelBuilder<?> stock;
    private final int port;

    private ChannelBuilder(String host, int port) {
      this.stock = ManagedChannelBuilder.forAddress(host, port);
      this.port = port;
    }

    @Override
    protected ManagedChannelBuilder<?> delegate() {
      return stock;
    }

    @Override
    public ManagedChannel build() {
      GrpcIoClient client = ioClient(OTHER_SIDE, new GrpcClientOptions());
      return new Channel(client, new GrpcIoClientChannel(client, SocketAddress.inetSocketAddress(port, "localhost")));
    }
  }

  private static final class Channel extends ManagedChannel {
    private final GrpcIoClient client;
    private final GrpcIoClientChannel calls;
    private Future<Void> closing;

    private Channel(GrpcIoClient client, GrpcIoClientChannel calls) {
      this.client = client;
      this.calls = calls;
    }

    /** Without a deadline, for which the bridge wants a call of HTTP/2. */
    @Override
    public <Req, Resp> ClientCall<Req, Resp> newCall(MethodDescriptor<Req, Resp> method, CallOptions options) {
      return calls.newCall(method, options.withDeadline(null));
    }

    @Override
    public String authority() {
      return calls.authority();
    }

    @Override
    public synchronized ManagedChannel shutdown() {
      if (closing == null) {
        closing = client.close();
      }
      return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
      return shutdown();
    }

    @Override
    public synchronized boolean isShutdown() {
      return closing != null;
    }

    @Override
    public synchronized boolean isTerminated() {
      return closing != null && closing.isComplete();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return ends(closing, timeout, unit);
    }
  }

  private static boolean ends(Future<Void> closing, long timeout, TimeUnit unit) {
    try {
      closing.await(timeout, unit);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** A builder of servers of grpc-java. */
  private static final class Builder extends ForwardingServerBuilder<Builder> {
    private final ServerBuilder<?> stock;
    private final int port;
    private final List<ServerServiceDefinition> services = new ArrayList<>();
    private final List<ServerInterceptor> interceptors = new ArrayList<>();

    private Builder(int port) {
      this.stock = ServerBuilder.forPort(port);
      this.port = port;
    }

    @Override
    protected ServerBuilder<?> delegate() {
      return stock;
    }

    @Override
    public Builder addService(ServerServiceDefinition service) {
      services.add(service);
      return this;
    }

    @Override
    public Builder addService(BindableService service) {
      return addService(service.bindService());
    }

    @Override
    public Builder intercept(ServerInterceptor interceptor) {
      interceptors.add(interceptor);
      return this;
    }

    @Override
    public Server build() {
      return new JavaServer(port, services.stream().map(service -> ServerInterceptors.intercept(service, interceptors)).toList());
    }
  }

  private static final class JavaServer extends Server {
    private final int port;
    private final List<ServerServiceDefinition> services;
    private ListeningServer server;
    private Future<Void> closing;

    private JavaServer(int port, List<ServerServiceDefinition> services) {
      this.port = port;
      this.services = services;
    }

    @Override
    public Server start() {
      server = listening(OTHER_SIDE, new GrpcServerOptions(), port);
      server.withEncoding = true;
      services.forEach(service -> server.addService(GrpcIoServiceBridge.bridge(service)));
      return this;
    }

    @Override
    public Server shutdown() {
      SERVED.remove(port);
      closing = server.over.shutdown(GRACE);
      return this;
    }

    @Override
    public Server shutdownNow() {
      SERVED.remove(port);
      closing = server.over.close();
      return this;
    }

    @Override
    public boolean isShutdown() {
      return closing != null;
    }

    @Override
    public boolean isTerminated() {
      return closing != null && closing.isComplete();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return ends(closing, timeout, unit);
    }

    @Override
    public void awaitTermination() {
      closing.await();
    }
  }
}
