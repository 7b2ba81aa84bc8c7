package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.impl.ServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.Service;
import java.time.Duration;

/**
 * A Vert.x gRPC server for calls over RDMA connections and, as the request handler of an {@code HttpServer}, over HTTP/2. Handlers of RDMA
 * calls run on duplicates of the context that called {@code listen}.
 */
public interface RdmaGrpcServer extends GrpcServer {

  static RdmaGrpcServer create(Rdma rdma) {
    return create(rdma, new RdmaGrpcServerOptions());
  }

  /** Creates a server, which accepts no calls before it listens. The server does not close the {@code Rdma}. */
  static RdmaGrpcServer create(Rdma rdma, RdmaGrpcServerOptions options) {
    return new ServerImpl(rdma, options);
  }

  /** Listens on every suitable fabric and publishes the name in the directory. */
  Future<RdmaGrpcServer> listen(String name);

  /** Listens on a host and port, on the best fabric with IP addresses. Port 0 selects a free port. Publishes no directory entry. */
  Future<RdmaGrpcServer> listen(SocketAddress address);

  /** Returns the port; -1 if the server listens only by name. */
  int actualPort();

  @Override
  RdmaGrpcServer callHandler(Handler<GrpcServerRequest<Buffer, Buffer>> handler);

  @Override
  <Req, Resp> RdmaGrpcServer callHandler(ServiceMethod<Req, Resp> method, Handler<GrpcServerRequest<Req, Resp>> handler);

  /** Adds an interceptor, called before each call's handler, also over HTTP/2. Interceptors run in the order of their addition. */
  RdmaGrpcServer addInterceptor(RdmaGrpcInterceptor interceptor);

  @Override
  RdmaGrpcServer addService(Service service);

  /** Stops listening, and closes the connections when the calls in flight have ended, or after {@code grace}. */
  Future<Void> shutdown(Duration grace);

  /** Stops listening and closes the connections. Calls in flight fail with {@code UNAVAILABLE}. */
  Future<Void> close();
}
