package io.github.vertxrdma.grpc;

import io.vertx.core.Future;

/** Inspects the calls of a client or a server before they are made or served, and permits or refuses each. */
@FunctionalInterface
public interface RdmaGrpcInterceptor {

  /**
   * Called before a call is made or served, on the context of the call; must not block. Messages of the call wait meanwhile; over a fabric
   * its deadline and a cancellation end it as at any other time.
   *
   * @return completes, on any thread, when the call may continue. If it fails, or this method throws or returns null, the call ends: at a
   * server with the status of a {@link io.vertx.grpc.server.StatusException}, otherwise with {@code UNKNOWN}; at a client it fails with the
   * exception
   */
  Future<Void> intercept(RdmaGrpcCall call);
}
