package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.grpc.server.GrpcServerRequest;

/**
 * A call that came by HTTP/2. Interceptors see it before the twin does; a refused one is ended by its handler, which knows how the client
 * is told.
 */
final class HttpCall implements RdmaGrpcCall {
  private final String fullMethodName;
  private final MultiMap headers;
  /** Null if interceptors let it go on. */
  Throwable refusal;

  HttpCall(String fullMethodName, MultiMap headers) {
    this.fullMethodName = fullMethodName;
    this.headers = headers;
  }

  static <Req, Resp> Handler<GrpcServerRequest<Req, Resp>> unlessRefused(Handler<GrpcServerRequest<Req, Resp>> handler) {
    return request -> {
      if (RdmaGrpcCall.current() instanceof HttpCall call && call.refusal != null) {
        request.response().fail(call.refusal);
      } else {
        handler.handle(request);
      }
    };
  }

  @Override
  public String fullMethodName() {
    return fullMethodName;
  }

  @Override
  public MultiMap headers() {
    return headers;
  }

  @Override
  public String remoteNodeId() {
    return null;
  }
}
