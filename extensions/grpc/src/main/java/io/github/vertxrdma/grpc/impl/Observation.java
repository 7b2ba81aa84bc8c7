package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.github.vertxrdma.impl.calls.SpanTags;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;

/** Reports one side of a call to metrics and tracer. Methods are called on the call's context. */
interface Observation {
  Observation NONE = new Observation() {};
  /** Tags by the OpenTelemetry conventions for gRPC. */
  TagExtractor<RdmaGrpcCall> CALL_TAGS = new SpanTags<>(List.of("rpc.system", "rpc.service", "rpc.method"),
    List.of(call -> "grpc", call -> call.fullMethodName().substring(0, Math.max(0, call.fullMethodName().lastIndexOf('/'))),
      call -> call.fullMethodName().substring(call.fullMethodName().lastIndexOf('/') + 1)));
  TagExtractor<GrpcStatus> STATUS_TAGS = new SpanTags<>(List.of("rpc.grpc.status_code"),
    List.of(status -> Integer.toString(status.code)));

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
