package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
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

/** Unary gRPC calls: over a fabric by vertx-rdma-grpc, over TCP by Vert.x gRPC. */
final class ContractCalls extends End {
  private static final String NAME = "perf.contract";
  private static final ServiceName SERVICE = ServiceName.create(NAME);
  private static final int LARGEST = 64 << 20;

  private GrpcClient client;

  ContractCalls(Setup setup) {
    super(setup);
  }

  private boolean overTcp() {
    return setup.stack().equals("tcp");
  }

  @Override
  public void serve() throws Exception {
    onContext(() -> listen().mapEmpty());
  }

  private Future<?> listen() {
    GrpcServer server = overTcp() ? GrpcServer.server(vertx, new GrpcServerOptions().setMaxMessageSize(LARGEST))
      : RdmaGrpcServer.create(rdma(),
        new RdmaGrpcServerOptions().setMaxMessageSize(LARGEST).setMaxCalls(underWay()));
    server.callHandler(ServiceMethod.server(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
      call -> call.handler(call.response()::end));
    return server instanceof RdmaGrpcServer rdma ? rdma.listen(NAME)
      : vertx.createHttpServer(new HttpServerOptions().setInitialSettings(new Http2Settings().setMaxConcurrentStreams(underWay())))
        .requestHandler(server).listen(setup.port(), HOST);
  }

  @Override
  public void connect() throws Exception {
    client = overTcp() ? GrpcClient.client(vertx, new GrpcClientOptions().setMaxMessageSize(LARGEST))
      : RdmaGrpcClient.create(rdma(), new RdmaGrpcClientOptions().setMaxMessageSize(LARGEST));
    onContext(() -> call(Buffer.buffer(new byte[1])));
  }

  private Future<Buffer> call(Buffer message) {
    SocketAddress address = overTcp() ? SocketAddress.inetSocketAddress(setup.port(), HOST) : RdmaGrpcClient.address(NAME);
    return client.request(address, ServiceMethod.client(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
      .compose(request -> request.send(message)).compose(GrpcClientResponse::last);
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer message = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> call(message));
  }
}
