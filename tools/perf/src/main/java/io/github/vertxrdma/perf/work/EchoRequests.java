package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientOptions;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.function.Function;

/**
 * Requests whose reply has the body of the request:
 *
 * <ul>
 * <li>bus: over the event bus of a cluster; start: the first of them, timed from the start of the node
 * <li>service, address: to an address of an {@code rdma:} verticle, by an {@code RdmaBusClient} or the client's own event bus
 * <li>http: over HTTP/1.1
 * <li>contract: unary gRPC calls, over a fabric by vertx-rdma-grpc or over TCP by Vert.x gRPC
 * </ul>
 */
final class EchoRequests extends End {
  private static final String ECHO = "perf.echo";
  private static final ServiceName SERVICE = ServiceName.create("perf.contract");
  private static final int LARGEST = 64 << 20;

  private final long begin;
  private Function<Buffer, Future<?>> request;
  private double startMicros;

  /** @param begin time before the classes were loaded */
  EchoRequests(Setup setup, long begin) throws Exception {
    super(setup, vertx(setup));
    this.begin = begin;
  }

  private static Vertx vertx(Setup setup) throws Exception {
    return switch (setup.mode()) {
      case "bus", "start" -> await(setup.vertx(new VertxOptions().setEventBusOptions(new EventBusOptions().setHost(HOST)))
        .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("perf-" + setup.port(), setup.port(), 2)))
        .buildClustered());
      default -> setup.vertx(new VertxOptions()).build();
    };
  }

  @Override
  public void serve() throws Exception {
    switch (setup.mode()) {
      case "http" -> await(vertx.deployVerticle(this::httpServer, new DeploymentOptions().setInstances(setup.loops())));
      case "contract" -> onContext(() -> listenForCalls().mapEmpty());
      default -> {
        onContext(() -> vertx.eventBus().<Buffer>consumer(ECHO, message -> message.reply(message.body())).completion());
        if (!vertx.isClustered()) {
          await(deploy("rdma:" + ECHO, new RdmaBusServiceOptions().setRdma(setup.rdma()).toJson()));
        }
      }
    }
  }

  private Future<String> deploy(String verticle, JsonObject config) {
    return vertx.deployVerticle(verticle, new DeploymentOptions().setConfig(config));
  }

  private VerticleBase httpServer() {
    return new VerticleBase() {
      @Override
      public Future<?> start() {
        return vertx.createHttpServer().requestHandler(request -> request.body().onSuccess(body -> request.response().end(body)))
          .listen(setup.port(), HOST);
      }
    };
  }

  private boolean overTcp() {
    return setup.stack().equals("tcp");
  }

  private Future<?> listenForCalls() {
    GrpcServer server = overTcp() ? GrpcServer.server(vertx, new GrpcServerOptions().setMaxMessageSize(LARGEST))
      : RdmaGrpcServer.create(rdma(), new RdmaGrpcServerOptions().setMaxMessageSize(LARGEST).setMaxCalls(underWay()));
    server.callHandler(ServiceMethod.server(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
      call -> call.handler(call.response()::end));
    return server instanceof RdmaGrpcServer rdma ? rdma.listen(NAME)
      : vertx.createHttpServer(new HttpServerOptions().setInitialSettings(new Http2Settings().setMaxConcurrentStreams(underWay())))
        .requestHandler(server).listen(setup.port(), HOST);
  }

  @Override
  public void connect() throws Exception {
    request = switch (setup.mode()) {
      // Created on the context of the operations.
      case "service" -> onContext(() -> rdma().connectBus(ECHO))::request;
      case "http" -> httpClient();
      case "contract" -> caller();
      default -> {
        if (!vertx.isClustered()) {
          await(deploy("rdma:" + ECHO + "?connect", new RdmaBusClientOptions().setRdma(setup.rdma()).toJson()));
        }
        yield body -> vertx.eventBus().request(ECHO, body);
      }
    };
    onContext(() -> request.apply(Buffer.buffer(new byte[1])).mapEmpty());
    startMicros = (System.nanoTime() - begin) / 1e3;
  }

  private Function<Buffer, Future<?>> httpClient() {
    HttpClient client = vertx.createHttpClient(
      new HttpClientOptions().setPipelining(setup.window() > 1).setPipeliningLimit(setup.window()),
      new PoolOptions().setHttp1MaxSize(setup.connections()));
    return body -> client.request(HttpMethod.POST, setup.port(), HOST, "/").compose(request -> request.send(body))
      .compose(HttpClientResponse::body);
  }

  private Function<Buffer, Future<?>> caller() {
    GrpcClient client = overTcp() ? GrpcClient.client(vertx, new GrpcClientOptions().setMaxMessageSize(LARGEST))
      : RdmaGrpcClient.create(rdma(), new RdmaGrpcClientOptions().setMaxMessageSize(LARGEST));
    // The client has cached nothing for a new address.
    return message -> client.request(
      overTcp() ? SocketAddress.inetSocketAddress(setup.port(), HOST) : RdmaGrpcClient.address(NAME),
      ServiceMethod.client(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
      .compose(request -> request.send(message)).compose(GrpcClientResponse::last);
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (setup.mode().equals("start")) {
      return new Sample(startMicros, Double.NaN, Double.NaN, 1e6 / startMicros, 0, Double.NaN);
    }
    Buffer body = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> request.apply(body));
  }
}
