package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.HttpServerMetrics;
import io.vertx.core.spi.observability.HttpRequest;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.StatusException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reports the calls of a server to the metrics and the tracer of Vert.x. In the metrics, a call is a POST to the path of its method.
 * Thread-safe.
 */
final class ServerObserver {
  /** Statuses that a span reports as failures of the server. */
  private static final Set<GrpcStatus> FAILURES = EnumSet.of(GrpcStatus.UNKNOWN, GrpcStatus.DEADLINE_EXCEEDED, GrpcStatus.UNIMPLEMENTED,
    GrpcStatus.INTERNAL, GrpcStatus.UNAVAILABLE, GrpcStatus.DATA_LOSS);

  private final HttpServerMetrics<Object, ?> metrics;
  /** False if {@link #metrics} ignores all calls. */
  private final boolean measured;
  private final VertxTracer<Object, Object> tracer;
  private final TracingPolicy policy;

  private ServerObserver(HttpServerMetrics<Object, ?> metrics, VertxTracer<Object, Object> tracer, TracingPolicy policy) {
    this.measured = metrics != null;
    this.metrics = measured ? metrics : new HttpServerMetrics<>() {};
    this.tracer = tracer;
    this.policy = policy;
  }

  @SuppressWarnings("unchecked")
  static ServerObserver of(VertxInternal vertx, SocketAddress local, TracingPolicy policy) {
    // Safe: the tracer gets only values that it returned.
    VertxTracer<Object, Object> tracer = (VertxTracer<Object, Object>) vertx.tracer();
    HttpServerMetrics<Object, ?> metrics = vertx.metrics() == null ? null
      : (HttpServerMetrics<Object, ?>) vertx.metrics().createHttpServerMetrics(new HttpServerConfig(), local, null);
    return metrics == null && tracer == null ? null
      : new ServerObserver(metrics, tracer == null ? VertxTracer.NOOP : tracer, policy);
  }

  Observation begins(ContextInternal context, int number, RdmaConnection from, RdmaGrpcCall request) {
    Object span = tracer.receiveRequest(context, SpanKind.RPC, policy, request, request.fullMethodName(), request.headers(),
      Observation.CALL_TAGS);
    if (span == null && !measured) {
      return Observation.NONE;
    }
    SocketAddress remote = from.remoteAddress();
    return new Call(context, span, new Request(number, '/' + request.fullMethodName(), request.headers(),
      remote == null ? Destination.address(from.remoteNodeId()) : remote));
  }

  void close() {
    metrics.close();
  }

  private record Request(int number, String uri, MultiMap headers, SocketAddress remoteAddress) implements HttpRequest {
    @Override
    @SuppressWarnings("removal")
    public long id() {
      return number;
    }

    @Override
    public HttpVersion version() {
      return HttpVersion.HTTP_2;
    }

    @Override
    public String absoluteURI() {
      return uri;
    }

    @Override
    public HttpMethod method() {
      return HttpMethod.POST;
    }
  }

  private record Response(MultiMap headers) implements HttpResponse {
    @Override
    public int statusCode() {
      return 200;
    }
  }

  private final class Call implements Observation {
    private final ContextInternal context;
    private final Object span;
    private final Request request;
    private final Object metric;

    Call(ContextInternal context, Object span, Request request) {
      this.context = context;
      this.span = span;
      this.request = request;
      this.metric = metrics.requestBegin(request.remoteAddress, request);
      metrics.requestRouted(metric, request.uri);
    }

    @Override
    public void requested(long bytes) {
      metrics.requestEnd(metric, request, bytes);
    }

    @Override
    public void ended(GrpcStatus status, Throwable cause, long bytes) {
      if (cause != null) {
        metrics.requestReset(metric);
      } else if (measured) {
        Response response = new Response(MultiMap.caseInsensitiveMultiMap().set("grpc-status", Integer.toString(status.code)));
        metrics.responseBegin(metric, response);
        metrics.responseEnd(metric, response, bytes);
      }
      if (span != null) {
        Throwable failure = cause == null && FAILURES.contains(status) ? new StatusException(status) : cause;
        tracer.sendResponse(context, status, span, failure, Observation.STATUS_TAGS);
      }
    }
  }
}
