package io.github.vertxrdma.suites;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
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
import io.vertx.grpc.server.impl.GrpcServerImpl;
import io.vertx.grpcio.client.GrpcIoClient;
import io.vertx.grpcio.client.impl.GrpcIoClientImpl;
import io.vertx.grpcio.server.GrpcIoServer;
import io.vertx.grpcio.server.impl.GrpcIoServerImpl;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Clients and servers of gRPC in place of HTTP/2's. Each port becomes a server's name. */
public final class OverRdma {
  /** All tests of servers use this port. */
  private static final int PORT = 8080;
  private static final Map<Vertx, Rdma> NODES = new WeakHashMap<>();
  private static final Set<Integer> SERVED = ConcurrentHashMap.newKeySet();
  private static final LongAdder CALLS = new LongAdder();

  private OverRdma() {
  }

  static long calls() {
    return CALLS.sum();
  }

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
    return new GrpcJava.ChannelBuilder(host, port);
  }

  @InPlaceOf(ServerBuilder.class)
  public static ServerBuilder<?> serverBuilder(int port) {
    return new GrpcJava.Builder(port);
  }

  private static synchronized Rdma node(Vertx vertx) {
    return NODES.computeIfAbsent(vertx, Rdma::create);
  }

  private static String name(int port) {
    return "port-" + port;
  }

  static GrpcIoClient ioClient(Vertx vertx, GrpcClientOptions options) {
    RdmaGrpcClient over = RdmaGrpcClient.create(node(vertx), new RdmaGrpcClientOptions()
      .setTimeout(Duration.ofMillis(options.getTimeoutUnit().toMillis(options.getTimeout())))
      .setScheduleDeadline(options.getScheduleDeadlineAutomatically())
      .setMaxMessageSize((int) options.getMaxMessageSize()));
    // Requests of grpc-java methods become requests of Vert.x methods.
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

  static ListeningServer listening(Vertx vertx, GrpcServerOptions options, int port) {
    RdmaGrpcServer over = RdmaGrpcServer.create(node(vertx), new RdmaGrpcServerOptions()
      .setScheduleDeadline(options.getScheduleDeadlineAutomatically()).setDeadlinePropagation(options.getDeadlinePropagation())
      .setMaxMessageSize((int) options.getMaxMessageSize()));
    over.addInterceptor(call -> {
      if (call.remoteNodeId() != null) {
        CALLS.increment();
      }
      return Future.succeededFuture();
    });
    Future<RdmaGrpcServer> listening = over.listen(name(port));
    // A Vert.x thread must not wait: its calls find the name when it is there.
    if (!Context.isOnVertxThread()) {
      listening.await();
    }
    SERVED.add(port);
    return new ListeningServer(vertx, options, over, port);
  }

  static final class ListeningServer extends GrpcIoServerImpl {
    private final RdmaGrpcServer over;
    private final int port;
    /** True if handlers find the encoding among the headers, as with grpc-java. */
    boolean withEncoding;

    private ListeningServer(Vertx vertx, GrpcServerOptions options, RdmaGrpcServer over, int port) {
      super(vertx, options);
      this.over = over;
      this.port = port;
    }

    RdmaGrpcServer leaving() {
      SERVED.remove(port);
      return over;
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
  }
}
