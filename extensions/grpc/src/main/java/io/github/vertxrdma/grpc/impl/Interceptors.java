package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.github.vertxrdma.grpc.RdmaGrpcInterceptor;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** Interceptors of a client or server, in order. Thread-safe. */
final class Interceptors {
  private final List<RdmaGrpcInterceptor> all = new CopyOnWriteArrayList<>();

  void add(RdmaGrpcInterceptor interceptor) {
    all.add(Objects.requireNonNull(interceptor));
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Runs the interceptors one after the other until one refuses the call. Completes on the context. */
  Future<Void> run(ContextInternal context, RdmaGrpcCall call) {
    Future<Void> passed = context.succeededFuture();
    for (RdmaGrpcInterceptor interceptor : all) {
      passed = passed.compose(v -> settled(interceptor.intercept(call)));
    }
    return passed;
  }

  /** Returns a future without a context if the answer has succeeded: the context of the answer may be busy or closed. */
  private static Future<Void> settled(Future<Void> answer) {
    return Objects.requireNonNull(answer, "an interceptor returned null instead of a future").succeeded() ? Future.succeededFuture()
      : answer;
  }
}
