package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerResponse;

/** A call over HTTP. The Vert.x handler also ends a refused call, because it knows the client's protocol. */
final class HttpCall implements RdmaGrpcCall {
  private static final String STATUS = "grpc-status";

  private final ContextInternal context;
  private final String fullMethodName;
  private final HttpServerRequest request;
  /** Metadata of the response, kept here until Vert.x creates it; null if there are none. */
  private MultiMap headers;
  private MultiMap trailers;
  private Throwable refusal;
  private Future<GrpcStatus> status;

  HttpCall(ContextInternal context, String fullMethodName, HttpServerRequest request) {
    this.context = context;
    this.fullMethodName = fullMethodName;
    this.request = request;
  }

  /** @param cause null if the interceptors permitted the call */
  void refuse(Throwable cause) {
    refusal = cause;
  }

  /** Returns the failure of the interceptors; null if they permitted the call. */
  Throwable begin(GrpcServerResponse<?, ?> begun) {
    headers = begun.headers().addAll(responseHeaders());
    trailers = begun.trailers().addAll(responseTrailers());
    return refusal;
  }

  @Override
  public String fullMethodName() {
    return fullMethodName;
  }

  @Override
  public MultiMap headers() {
    return request.headers();
  }

  @Override
  public MultiMap responseHeaders() {
    return headers == null ? headers = MultiMap.caseInsensitiveMultiMap() : headers;
  }

  @Override
  public MultiMap responseTrailers() {
    return trailers == null ? trailers = MultiMap.caseInsensitiveMultiMap() : trailers;
  }

  @Override
  public Future<GrpcStatus> status() {
    if (status == null) {
      String type = request.getHeader("content-type");
      status = type != null && type.startsWith("application/grpc-web") ? context.failedFuture(new UnsupportedOperationException(
        "the status of a gRPC-Web call is unknown, since Vert.x sends it in the body of the response")) : atEnd(request.response());
    }
    return status;
  }

  private Future<GrpcStatus> atEnd(HttpServerResponse http) {
    if (http.ended()) {
      return context.succeededFuture(statusOf(http));
    }
    if (http.closed()) {
      return context.succeededFuture(GrpcStatus.CANCELLED);
    }
    Promise<GrpcStatus> promise = context.promise();
    http.endHandler(v -> promise.tryComplete(statusOf(http)));
    http.closeHandler(v -> promise.tryComplete(GrpcStatus.CANCELLED));
    return promise.future();
  }

  private static GrpcStatus statusOf(HttpServerResponse http) {
    // A response without messages has its status among the headers.
    String code = http.trailers().contains(STATUS) ? http.trailers().get(STATUS) : http.headers().get(STATUS);
    return code == null ? GrpcStatus.UNKNOWN : Statuses.of(Integer.parseInt(code));
  }

  @Override
  public String remoteNodeId() {
    return null;
  }
}
