package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcStatus;

/** Reports a frame that cannot be sent. No part of it was written. */
final class UnsentException extends CodecException {
  private static final long serialVersionUID = 1;

  final GrpcStatus status;

  UnsentException(GrpcStatus status, String message) {
    super(message);
    this.status = status;
  }
}
