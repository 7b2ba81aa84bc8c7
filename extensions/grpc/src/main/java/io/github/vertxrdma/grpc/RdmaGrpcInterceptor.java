package io.github.vertxrdma.grpc;

import io.vertx.core.Future;

/**
 * Permits or refuses calls of a client or a server. It can also wrap a call: {@link RdmaGrpcCall#status} completes when the call has ended.
 */
@FunctionalInterface
public interface RdmaGrpcInterceptor {

  /**
   * Called on the context of the call before it is made or served; must not block.
   *
   * @return completes, on any thread, when the call may continue. A failure, an exception or null ends the call. A client reports the
   * exception; a server sends the status of a {@link io.vertx.grpc.server.StatusException}, or {@code UNKNOWN}
   */
  Future<Void> intercept(RdmaGrpcCall call);
}
