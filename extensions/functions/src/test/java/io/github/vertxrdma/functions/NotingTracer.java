package io.github.vertxrdma.functions;

import io.vertx.core.Context;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** Notes spans, keeps the present one in the context, and hands it on by a header, as tracers do. */
final class NotingTracer implements VertxTracer<NotingTracer.Span, NotingTracer.Span>, VertxTracerFactory {
  /** Registered before there is a Vert.x. */
  static final ContextLocal<Span> PRESENT = ContextLocal.registerLocal(Span.class);
  private static final String HEADER = "span";

  private final AtomicInteger numbers = new AtomicInteger();
  final List<Span> spans = new CopyOnWriteArrayList<>();

  /** One that has begun. */
  static final class Span {
    final int number;
    final int parent;
    final boolean client;
    final String operation;
    final Map<String, String> tags;
    final AtomicInteger ends = new AtomicInteger();
    volatile Throwable failure;

    Span(int number, int parent, boolean client, String operation, Map<String, String> tags) {
      this.number = number;
      this.parent = parent;
      this.client = client;
      this.operation = operation;
      this.tags = tags;
    }

    private void end(Throwable cause) {
      failure = cause;
      ends.incrementAndGet();
    }

    @Override
    public String toString() {
      return (client ? "client " : "server ") + operation + ' ' + number + " of " + parent + (ends.get() == 1 ? "" : ", ended "
        + ends + " times");
    }
  }

  /** One that nobody asked for, to begin with. */
  Span root() {
    return new Span(numbers.incrementAndGet(), 0, true, "root", Map.of());
  }

  private Span begin(int parent, boolean client, String operation, Map<String, String> tags) {
    Span span = new Span(numbers.incrementAndGet(), parent, client, operation, tags);
    spans.add(span);
    return span;
  }

  @Override
  public VertxTracer<?, ?> tracer(TracingOptions options) {
    return this;
  }

  @Override
  public <R> Span sendRequest(Context context, SpanKind kind, TracingPolicy policy, R request, String operation,
    BiConsumer<String, String> headers, TagExtractor<R> tags) {
    Span present = PRESENT.get(context);
    if (policy == TracingPolicy.IGNORE || present == null && policy == TracingPolicy.PROPAGATE) {
      return null;
    }
    Span span = begin(present == null ? 0 : present.number, true, operation, tags.extract(request));
    headers.accept(HEADER, Integer.toString(span.number));
    return span;
  }

  @Override
  public <R> void receiveResponse(Context context, R response, Span span, Throwable failure, TagExtractor<R> tags) {
    span.end(failure);
  }

  @Override
  public <R> Span receiveRequest(Context context, SpanKind kind, TracingPolicy policy, R request, String operation,
    Iterable<Map.Entry<String, String>> headers, TagExtractor<R> tags) {
    for (Map.Entry<String, String> header : headers) {
      if (header.getKey().equals(HEADER)) {
        Span span = begin(Integer.parseInt(header.getValue()), false, operation, tags.extract(request));
        PRESENT.put(context, span);
        return span;
      }
    }
    return null;
  }

  @Override
  public <R> void sendResponse(Context context, R response, Span span, Throwable failure, TagExtractor<R> tags) {
    PRESENT.remove(context);
    span.end(failure);
  }
}
