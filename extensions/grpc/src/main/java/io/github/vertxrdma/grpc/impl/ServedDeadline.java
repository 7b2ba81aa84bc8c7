package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcLocal;
import java.time.Instant;

/** Deadline of a served call by the monotonic clock. */
final class ServedDeadline extends GrpcLocal {
  private final long at;

  ServedDeadline(long timeoutNanos) {
    super(0);
    at = System.nanoTime() + timeoutNanos;
  }

  /** Returns the nanoseconds left; negative after the deadline. */
  long leftNanos() {
    return at - System.nanoTime();
  }

  @Override
  public Instant deadline() {
    return Instant.now().plusNanos(leftNanos());
  }
}
