package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.impl.ClientImpl;
import io.github.vertxrdma.grpc.impl.Destination;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;

/**
 * A client of Vert.x gRPC whose calls go over fabrics: stubs that {@code vertx-grpc-protoc-plugin2} generates take it as any other. It
 * opens one connection for each context and server instance that it calls; handlers of a call run on the context that made it. May be used
 * from any thread; calls of threads that are not Vert.x's share one context.
 *
 * <p>A call fails with {@link io.vertx.grpc.common.GrpcErrorException} if it has no answer: status {@code UNAVAILABLE} if the connection is
 * lost, {@code DEADLINE_EXCEEDED}, {@code CANCELLED}. Its write queue is counted in messages, not in bytes.
 */
public interface RdmaGrpcClient extends GrpcClient {

  /** With default options. */
  static RdmaGrpcClient create(Vertx vertx, Rdma rdma) {
    return create(vertx, rdma, new RdmaGrpcClientOptions());
  }

  /** A client, which connects when it is asked to call. The {@code Rdma} stays the caller's. */
  static RdmaGrpcClient create(Vertx vertx, Rdma rdma, RdmaGrpcClientOptions options) {
    return new ClientImpl(vertx, rdma, options);
  }

  /**
   * Adds an interceptor, which sees each call before its metadata are sent, after those that were added before it. A call that it does not
   * let go on fails with what it said, and nothing is sent.
   */
  RdmaGrpcClient addInterceptor(RdmaGrpcInterceptor interceptor);

  /** The address of all servers that listen by a name, for stubs and {@link #request}. */
  static SocketAddress address(String name) {
    return Destination.address(name);
  }
}
