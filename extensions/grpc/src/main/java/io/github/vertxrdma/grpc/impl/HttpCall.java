package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.grpc.server.GrpcServerRequest;

/**
 * A call over HTTP/2. Interceptors see it before the HTTP server does; its handler ends a refused one, because it knows how to inform the
 * client.
 */
final class HttpCall implements RdmaGrpcCall {
  private final String fullMethodName;
  private final MultiMap headers;
  /** Null if interceptors permit it. */
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
