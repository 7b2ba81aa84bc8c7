package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcStatus;

/** A call in metrics and tracer at one side. Called on the call's context, except at its beginning. */
interface Observation {
  Observation NONE = new Observation() {};

  /** Called once when the client has ended its messages, or is not read any more. */
  default void requested(long bytes) {
  }

  default void answered() {
  }

  /**
   * @param cause null if the server has sent its status
   * @param bytes of the answer's messages
   */
  default void ended(GrpcStatus status, Throwable cause, long bytes) {
  }
}
