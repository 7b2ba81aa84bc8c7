package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcStatus;

/** A call as Vert.x's metrics and tracer hear of it at one side. On the call's context, but for its beginning. */
interface Observation {
  /** None: there is neither a tracer nor metrics. */
  Observation NONE = new Observation() {};

  /** The client has said all, or is not heard any more: once. @param bytes of its messages */
  default void requested(long bytes) {
  }

  /** The first of the answer has come. */
  default void answered() {
  }

  /**
   * The call has ended, once.
   *
   * @param cause null if the server has said how
   * @param bytes of the answer's messages
   */
  default void over(GrpcStatus status, Throwable cause, long bytes) {
  }
}
