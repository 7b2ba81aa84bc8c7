package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.impl.ServerImpl;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.Service;
import java.time.Duration;

/**
 * A server of Vert.x gRPC whose calls come over fabrics. The same services are offered to clients of HTTP/2 where it is the request handler
 * of an {@code HttpServer}. Handlers run on the context in which it listens, each call on a duplicate of it.
 */
public interface RdmaGrpcServer extends GrpcServer {

  /** With default options. */
  static RdmaGrpcServer create(Vertx vertx, Rdma rdma) {
    return create(vertx, rdma, new RdmaGrpcServerOptions());
  }

  /** A server, which takes no calls before it listens. The {@code Rdma} stays the caller's. */
  static RdmaGrpcServer create(Vertx vertx, Rdma rdma, RdmaGrpcServerOptions options) {
    return new ServerImpl(vertx, rdma, options);
  }

  /** Listens on every fabric that is worth it and publishes the name. */
  Future<RdmaGrpcServer> listen(String name);

  /** Listens on a host and port, over the best fabric that is reached by IP, and not in the directory. Port 0 takes a free one. */
  Future<RdmaGrpcServer> listen(SocketAddress address);

  /** The port it listens on; -1 if it listens by name only. */
  int actualPort();

  /** Serves a call that came by HTTP/2 or gRPC-Web, as a stock server does. */
  @Override
  void handle(HttpServerRequest request);

  @Override
  RdmaGrpcServer callHandler(Handler<GrpcServerRequest<Buffer, Buffer>> handler);

  @Override
  <Req, Resp> RdmaGrpcServer callHandler(ServiceMethod<Req, Resp> method, Handler<GrpcServerRequest<Req, Resp>> handler);

  /**
   * Adds an interceptor, which sees each call, over a fabric and over HTTP/2, before its handler, after those that were added before it. A
   * call that it does not let go on ends without its handler.
   */
  RdmaGrpcServer addInterceptor(RdmaGrpcInterceptor interceptor);

  @Override
  RdmaGrpcServer addService(Service service);

  /** Stops listening, takes no more calls, and closes the connections when those under way are over, or after the time. */
  Future<Void> shutdown(Duration grace);

  /** Stops listening and closes the connections; calls under way fail with {@code UNAVAILABLE} at their clients. */
  Future<Void> close();
}
