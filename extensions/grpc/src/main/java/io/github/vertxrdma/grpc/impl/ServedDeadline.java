package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcLocal;
import java.time.Instant;

/**
 * The deadline of a served call, for the calls that its handler makes: what is left of it goes by no wall clock, which may be set
 * meanwhile.
 */
final class ServedDeadline extends GrpcLocal {
  private final long at;

  ServedDeadline(long timeoutNanos) {
    super(0);
    at = System.nanoTime() + timeoutNanos;
  }

  /** Negative once it is over. */
  long leftNanos() {
    return at - System.nanoTime();
  }

  /** By the wall clock as it is now, for clients of other makes. */
  @Override
  public Instant deadline() {
    return Instant.now().plusNanos(leftNanos());
  }
}
