package io.github.vertxrdma.grpc;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.HttpServerMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.observability.HttpRequest;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A tracer and metrics that note what they hear. */
final class Noted implements VertxTracer<Noted.Call, Noted.Call>, VertxMetrics {
  /** Registered before there is a Vert.x. */
  static final ContextLocal<Call> PRESENT = ContextLocal.registerLocal(Call.class);
  private static final String HEADER = "span";

  final List<Call> spans = new CopyOnWriteArrayList<>();
  final List<Call> sent = new CopyOnWriteArrayList<>();
  final List<Call> served = new CopyOnWriteArrayList<>();
  final AtomicInteger closed = new AtomicInteger();

  /** A call, by its tags, its bytes, and how it ended. */
  static final class Call {
    final Map<String, String> tags = new ConcurrentSkipListMap<>();
    final AtomicInteger ends = new AtomicInteger();
    volatile Throwable failure;

    private void end(Throwable cause) {
      failure = cause;
      ends.incrementAndGet();
    }

    private Call put(String name, Object value) {
      tags.put(name, String.valueOf(value));
      return this;
    }

    @Override
    public String toString() {
      return tags + (ends.get() == 1 ? "" : " ended " + ends + " times");
    }
  }

  Vertx vertx() {
    return Vertx.builder().withTracer(options -> this).withMetrics(options -> this).build();
  }

  private Call begin(List<Call> all, String side) {
    Call call = new Call().put("side", side);
    all.add(call);
    return call;
  }

  @Override
  public <R> Call sendRequest(Context context, SpanKind kind, TracingPolicy policy, R request, String operation,
    BiConsumer<String, String> headers, TagExtractor<R> tags) {
    Call present = PRESENT.get(context);
    if (policy == TracingPolicy.IGNORE || present == null && policy == TracingPolicy.PROPAGATE) {
      return null;
    }
    Call span = begin(spans, "client").put("operation", operation).put("parent", spans.indexOf(present));
    tags.extractTo(request, span.tags);
    headers.accept(HEADER, Integer.toString(spans.indexOf(span)));
    return span;
  }

  @Override
  public <R> void receiveResponse(Context context, R response, Call span, Throwable failure, TagExtractor<R> tags) {
    tags.extractTo(response, span.tags);
    span.end(failure);
  }

  @Override
  public <R> Call receiveRequest(Context context, SpanKind kind, TracingPolicy policy, R request, String operation,
    Iterable<Map.Entry<String, String>> headers, TagExtractor<R> tags) {
    for (Map.Entry<String, String> header : headers) {
      if (header.getKey().equals(HEADER)) {
        Call span = begin(spans, "server").put("operation", operation).put("parent", header.getValue());
        tags.extractTo(request, span.tags);
        PRESENT.put(context, span);
        return span;
      }
    }
    return null;
  }

  @Override
  public <R> void sendResponse(Context context, R response, Call span, Throwable failure, TagExtractor<R> tags) {
    receiveResponse(context, response, span, failure, tags);
    PRESENT.remove(context);
  }

  @Override
  public void close() {
  }

  @Override
  public boolean isMetricsEnabled() {
    return true;
  }

  @Override
  public ClientMetrics<?, ?, ?> createClientMetrics(SocketAddress remote, String type, String namespace) {
    return new ClientMetrics<Call, Object, Object>() {
      @Override
      public Call init() {
        return begin(sent, type).put("remote", remote);
      }

      @Override
      public void requestBegin(Call call, String uri, Object request) {
        call.put("uri", uri);
      }

      @Override
      public void requestEnd(Call call, long bytes) {
        call.put("asked", bytes);
      }

      @Override
      public void responseBegin(Call call, Object response) {
        call.put("answering", true);
      }

      @Override
      public void responseEnd(Call call, long bytes) {
        call.put("answered", bytes).end(null);
      }

      @Override
      public void requestReset(Call call) {
        call.put("reset", true).end(null);
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  @Override
  public HttpServerMetrics<?, ?> createHttpServerMetrics(HttpServerConfig config, SocketAddress local, SocketAddress quic) {
    return new HttpServerMetrics<Call, Object>() {
      @Override
      public Call requestBegin(SocketAddress remote, HttpRequest request) {
        return begin(served, request.method().name()).put("uri", request.uri()).put("local", local);
      }

      @Override
      public void requestRouted(Call call, String route) {
        call.put("route", route);
      }

      @Override
      public void requestEnd(Call call, HttpRequest request, long bytes) {
        call.put("asked", bytes);
      }

      @Override
      public void responseBegin(Call call, HttpResponse response) {
        call.put("code", response.statusCode()).put("status", response.headers().get("grpc-status"));
      }

      @Override
      public void responseEnd(Call call, HttpResponse response, long bytes) {
        call.put("answered", bytes).end(null);
      }

      @Override
      public void requestReset(Call call) {
        call.put("reset", true).end(null);
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }
}
