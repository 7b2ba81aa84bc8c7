package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcStatus;

/** A call in Vert.x's metrics and tracer at one side. Called on the call's context, except at its beginning. */
interface Observation {
  /** Used if there is neither a tracer nor metrics. */
  Observation NONE = new Observation() {};

  /** Called once when the client has ended its messages, or is not read any more. @param bytes of its messages */
  default void requested(long bytes) {
  }

  /** Called when the answer begins. */
  default void answered() {
  }

  /**
   * Called once when the call has ended.
   *
   * @param cause null if the server has sent its status
   * @param bytes of the answer's messages
   */
  default void ended(GrpcStatus status, Throwable cause, long bytes) {
  }
}
