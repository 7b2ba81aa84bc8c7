package io.github.vertxrdma.impl.calls;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;

/** Traces messages to a service as the event bus traces its own. The receiver's event bus traces the delivery. Thread-safe. */
record MessageTracer(VertxTracer<Object, Object> tracer, String service) {
  private static final TagExtractor<Sent> TAGS = new SpanTags<>(
    List.of("messaging.destination.name", "messaging.system", "messaging.operation.name"),
    List.of(Sent::service, sent -> "vertx-rdma", Sent::operation));

  private record Sent(String service, String operation) {
  }

  @SuppressWarnings("unchecked")
  static MessageTracer of(VertxInternal vertx, String service) {
    VertxTracer<Object, Object> tracer = (VertxTracer<Object, Object>) vertx.tracer();
    return tracer == null ? null : new MessageTracer(tracer, service);
  }

  /**
   * @param policy null for the default {@code PROPAGATE}, which continues a trace but does not begin one
   * @param until completes at the end of the span
   */
  <T> MultiMap sends(ContextInternal context, boolean publish, TracingPolicy policy, MultiMap given, Future<T> until) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    if (given != null) {
      headers.addAll(given);
    }
    Sent sent = new Sent(service, publish ? "publish" : "send");
    Object span = tracer.sendRequest(context, SpanKind.RPC, policy == null ? TracingPolicy.PROPAGATE : policy, sent, sent.operation,
      (String name, String value) -> headers.set(name, value), TAGS);
    if (span != null) {
      until.onComplete((reply, cause) -> tracer.receiveResponse(context, reply, span, cause, TagExtractor.empty()));
    }
    return headers;
  }
}
