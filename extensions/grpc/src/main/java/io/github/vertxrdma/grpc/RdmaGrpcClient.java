package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.impl.ClientImpl;
import io.github.vertxrdma.grpc.impl.Destination;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;

/**
 * A client of Vert.x gRPC whose calls use fabrics. Stubs that {@code vertx-grpc-protoc-plugin2} generates accept it like any other client.
 * It opens one connection for each context and server instance that it calls; handlers of a call run on the context that made it.
 * Thread-safe; calls from threads that are not Vert.x's share one context.
 *
 * <p>A call fails with {@link io.vertx.grpc.common.GrpcErrorException} if it has no answer: status {@code UNAVAILABLE} if the connection is
 * lost, {@code DEADLINE_EXCEEDED}, {@code CANCELLED}. The message of that exception has the status only; its cause has method, server, node
 * and reason. A stub fails with {@link io.vertx.grpc.client.InvalidStatusException} if the server has sent a status other than {@code OK}.
 * The write queue of a call counts messages, not bytes.
 */
public interface RdmaGrpcClient extends GrpcClient {

  /** Creates a client with default options. */
  static RdmaGrpcClient create(Rdma rdma) {
    return create(rdma, new RdmaGrpcClientOptions());
  }

  /** Creates a client, which connects on the first call. The caller keeps the {@code Rdma}. */
  static RdmaGrpcClient create(Rdma rdma, RdmaGrpcClientOptions options) {
    return new ClientImpl(rdma, options);
  }

  /**
   * Adds an interceptor, which sees each call before its metadata are sent, after the interceptors that were added before. A call that it
   * does not permit fails with its failure, and nothing is sent.
   */
  RdmaGrpcClient addInterceptor(RdmaGrpcInterceptor interceptor);

  /** Returns the address of all servers that listen with a name, for stubs and {@link #request}. */
  static SocketAddress address(String name) {
    return Destination.address(name);
  }
}
