package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcCall;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcStatus;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reports the calls of a client to the metrics and the tracer of Vert.x. There are metrics of type {@code grpc} for each destination, and
 * one span for all attempts of a call. Thread-safe.
 */
final class ClientObserver {
  private final VertxMetrics metrics;
  private final VertxTracer<Object, Object> tracer;
  private final TracingPolicy policy;
  private final Map<SocketAddress, ClientMetrics<Object, Object, Object>> destinations = new ConcurrentHashMap<>();

  private ClientObserver(VertxMetrics metrics, VertxTracer<Object, Object> tracer, TracingPolicy policy) {
    this.metrics = metrics;
    this.tracer = tracer;
    this.policy = policy;
  }

  @SuppressWarnings("unchecked")
  static ClientObserver of(VertxInternal vertx, TracingPolicy policy) {
    // Safe: the tracer gets only values that it returned.
    VertxTracer<Object, Object> tracer = (VertxTracer<Object, Object>) vertx.tracer();
    return vertx.metrics() == null && tracer == null ? null
      : new ClientObserver(vertx.metrics(), tracer == null ? VertxTracer.NOOP : tracer, policy);
  }

  Observation begins(ContextInternal context, Destination to, RdmaGrpcCall call) {
    Object span = tracer.sendRequest(context, SpanKind.RPC, policy, call, call.fullMethodName(),
      (name, value) -> call.headers().set(name, value), Observation.CALL_TAGS);
    return new Call(context, span, measured(to.address()), call);
  }

  @SuppressWarnings("unchecked")
  private ClientMetrics<Object, Object, Object> measured(SocketAddress destination) {
    ClientMetrics<Object, Object, Object> known = destinations.get(destination);
    // computeIfAbsent may lock the entry even if it exists.
    return known != null ? known : destinations.computeIfAbsent(destination, to -> {
      Object created = metrics == null ? null : metrics.createClientMetrics(to, "grpc", "");
      return created == null ? new ClientMetrics<>() {} : (ClientMetrics<Object, Object, Object>) created;
    });
  }

  void close() {
    destinations.values().forEach(ClientMetrics::close);
    destinations.clear();
  }

  private final class Call implements Observation {
    private final ContextInternal context;
    private final Object span;
    private final ClientMetrics<Object, Object, Object> measured;
    private final Object metric;

    Call(ContextInternal context, Object span, ClientMetrics<Object, Object, Object> measured, RdmaGrpcCall call) {
      this.context = context;
      this.span = span;
      this.measured = measured;
      this.metric = measured.init();
      measured.requestBegin(metric, call.fullMethodName(), call);
    }

    @Override
    public void requested(long bytes) {
      measured.requestEnd(metric, bytes);
    }

    @Override
    public void answered() {
      measured.responseBegin(metric, null);
    }

    @Override
    public void ended(GrpcStatus status, Throwable cause, long bytes) {
      if (cause != null) {
        measured.requestReset(metric);
      } else {
        measured.responseEnd(metric, bytes);
      }
      if (span != null) {
        Throwable failure = cause == null && status != GrpcStatus.OK ? new InvalidStatusException(GrpcStatus.OK, status) : cause;
        tracer.receiveResponse(context, status, span, failure, Observation.STATUS_TAGS);
      }
    }
  }
}
