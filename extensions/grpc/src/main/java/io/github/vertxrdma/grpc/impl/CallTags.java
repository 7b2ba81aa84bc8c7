package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.grpc.common.GrpcStatus;

/** Tags of a call's span, following OpenTelemetry's conventions for gRPC. */
final class CallTags {
  static final TagExtractor<RdmaGrpcCall> CALL = new TagExtractor<>() {
    @Override
    public int len(RdmaGrpcCall call) {
      return 3;
    }

    @Override
    public String name(RdmaGrpcCall call, int index) {
      return switch (index) {
        case 0 -> "rpc.system";
        case 1 -> "rpc.service";
        default -> "rpc.method";
      };
    }

    @Override
    public String value(RdmaGrpcCall call, int index) {
      String path = call.fullMethodName();
      int slash = path.lastIndexOf('/');
      return switch (index) {
        case 0 -> "grpc";
        case 1 -> path.substring(0, Math.max(0, slash));
        default -> path.substring(slash + 1);
      };
    }
  };

  static final TagExtractor<GrpcStatus> STATUS = new TagExtractor<>() {
    @Override
    public int len(GrpcStatus status) {
      return 1;
    }

    @Override
    public String name(GrpcStatus status, int index) {
      return "rpc.grpc.status_code";
    }

    @Override
    public String value(GrpcStatus status, int index) {
      return Integer.toString(status.code);
    }
  };

  private CallTags() {
  }
}
