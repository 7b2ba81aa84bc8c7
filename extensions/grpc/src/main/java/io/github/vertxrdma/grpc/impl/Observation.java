package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcStatus;

/** Reports one side of a call to metrics and tracer. Methods are called on the call's context. */
interface Observation {
  Observation NONE = new Observation() {};

  /** Called once, when the request has ended or is no longer read. */
  default void requested(long bytes) {
  }

  default void answered() {
  }

  /**
   * @param cause null if the server has sent its status
   * @param bytes bytes of the response messages
   */
  default void ended(GrpcStatus status, Throwable cause, long bytes) {
  }
}
