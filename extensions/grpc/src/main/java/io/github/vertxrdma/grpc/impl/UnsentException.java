package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcStatus;

/** A frame that cannot be sent, of which nothing has reached the fabric: its call ends with a status, at this side's word. */
final class UnsentException extends CodecException {
  private static final long serialVersionUID = 1;

  final GrpcStatus status;

  UnsentException(GrpcStatus status, String message) {
    super(message);
    this.status = status;
  }
}
