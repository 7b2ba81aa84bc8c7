package io.github.vertxrdma.grpc;

import io.vertx.core.Future;

/** Sees the calls of a client or a server before they are made or served, and lets each go on or not. */
@FunctionalInterface
public interface RdmaGrpcInterceptor {

  /**
   * A call is about to be made or served. Runs on the context of the call; must not block. Messages of the call wait meanwhile; over a
   * fabric its deadline and a cancellation end it as at any other time.
   *
   * @return completes, on any thread, when the call may go on. If it fails, or this method throws or returns null, the call ends: at a
   *   server with the status of a {@link io.vertx.grpc.server.StatusException}, else with {@code UNKNOWN}; at a client it fails with what
   *   was thrown
   */
  Future<Void> intercept(RdmaGrpcCall call);
}
