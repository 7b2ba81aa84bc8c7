package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** The interceptors of a side, in the order in which they were added. Thread-safe. */
final class Interceptors {
  private final List<Handler<RdmaGrpcCall>> all = new CopyOnWriteArrayList<>();

  /** A call that came by HTTP/2. */
  private record HttpCall(String fullMethodName, MultiMap headers) implements RdmaGrpcCall {
    @Override
    public String remoteNodeId() {
      return null;
    }
  }

  void add(Handler<RdmaGrpcCall> interceptor) {
    all.add(Objects.requireNonNull(interceptor));
  }

  void run(RdmaGrpcCall call) {
    if (!all.isEmpty()) {
      all.forEach(interceptor -> interceptor.handle(call));
    }
  }

  /** A method's handler behind the interceptors, over HTTP/2 as over a fabric: one that throws ends the call. */
  <Req, Resp> Handler<GrpcServerRequest<Req, Resp>> before(Handler<GrpcServerRequest<Req, Resp>> handler) {
    return request -> {
      RdmaGrpcCall call = request instanceof RdmaGrpcCall ours ? ours : new HttpCall(request.fullMethodName(), request.headers());
      ContextInternal.current().putLocal(CallLocal.KEY, AccessMode.CONCURRENT, call);
      try {
        run(call);
      } catch (Exception e) {
        request.response().fail(e);
        return;
      }
      handler.handle(request);
    };
  }
}
