package io.github.vertxrdma.grpc.impl;

import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Arrays;

final class Statuses {
  private Statuses() {
  }

  static GrpcStatus of(int code) {
    GrpcStatus status = GrpcStatus.valueOf(code);
    return status == null ? GrpcStatus.UNKNOWN : status;
  }

  static GrpcErrorException failure(int code) {
    GrpcStatus status = code == GrpcStatus.OK.code ? GrpcStatus.UNKNOWN : of(code);
    return new GrpcErrorException(error(status), status);
  }

  private static GrpcError error(GrpcStatus status) {
    return Arrays.stream(GrpcError.values()).filter(error -> error.status == status).findFirst()
      .orElse(status == GrpcStatus.DEADLINE_EXCEEDED ? GrpcError.CANCELLED : GrpcError.INTERNAL);
  }
}
