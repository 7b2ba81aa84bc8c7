package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.github.vertxrdma.grpc.RdmaGrpcInterceptor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.Iterator;
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
    return all.isEmpty() ? context.succeededFuture() : run(context, call, all.iterator());
  }

  private static Future<Void> run(ContextInternal context, RdmaGrpcCall call, Iterator<RdmaGrpcInterceptor> left) {
    while (left.hasNext()) {
      Future<Void> answer;
      try {
        answer = Objects.requireNonNull(left.next().intercept(call), "an interceptor returned null instead of a future");
      } catch (Throwable e) {
        return context.failedFuture(e);
      }
      if (!answer.succeeded()) {
        Promise<Void> here = context.promise();
        answer.onComplete(here);
        return here.future().compose(v -> run(context, call, left));
      }
    }
    return context.succeededFuture();
  }
}
