package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.grpc.common.GrpcStatus;
import java.util.List;
import java.util.function.Function;

/** Tags by the OpenTelemetry conventions for gRPC. */
record CallTags<T>(List<String> names, List<Function<T, String>> values) implements TagExtractor<T> {
  static final TagExtractor<RdmaGrpcCall> CALL = new CallTags<>(List.of("rpc.system", "rpc.service", "rpc.method"),
    List.of(call -> "grpc", call -> call.fullMethodName().substring(0, Math.max(0, slash(call))),
      call -> call.fullMethodName().substring(slash(call) + 1)));

  static final TagExtractor<GrpcStatus> STATUS = new CallTags<>(List.of("rpc.grpc.status_code"),
    List.of(status -> Integer.toString(status.code)));

  private static int slash(RdmaGrpcCall call) {
    return call.fullMethodName().lastIndexOf('/');
  }

  @Override
  public int len(T of) {
    return names.size();
  }

  @Override
  public String name(T of, int index) {
    return names.get(index);
  }

  @Override
  public String value(T of, int index) {
    return values.get(index).apply(of);
  }
}
