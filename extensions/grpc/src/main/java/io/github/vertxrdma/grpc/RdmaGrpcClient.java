package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.grpc.impl.ClientImpl;
import io.github.vertxrdma.grpc.impl.Destination;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;

/**
 * A Vert.x gRPC client whose calls use RDMA connections, one for each Vert.x context and server. Handlers of a call run on the context that
 * made the call. Calls from threads without a context share one context. Thread-safe.
 *
 * <p>A call without an answer fails with {@link io.vertx.grpc.common.GrpcErrorException}: {@code UNAVAILABLE} if the connection is lost,
 * {@code DEADLINE_EXCEEDED} or {@code CANCELLED}. The cause names method, server, node and reason. A stub fails with {@link
 * io.vertx.grpc.client.InvalidStatusException} if the server sent another status than {@code OK}. The size of a call's write queue is a
 * number of messages.
 */
public interface RdmaGrpcClient extends GrpcClient {

  static RdmaGrpcClient create(Rdma rdma) {
    return create(rdma, new RdmaGrpcClientOptions());
  }

  /** Creates a client, which connects on the first call. The client does not close the {@code Rdma}. */
  static RdmaGrpcClient create(Rdma rdma, RdmaGrpcClientOptions options) {
    return new ClientImpl(rdma, options);
  }

  /** Adds an interceptor, called before the metadata of each call are sent. Interceptors run in the order of their addition. */
  RdmaGrpcClient addInterceptor(RdmaGrpcInterceptor interceptor);

  /** Returns the address of all servers with a name, for stubs and {@link #request}. */
  static SocketAddress address(String name) {
    return Destination.address(name);
  }
}
