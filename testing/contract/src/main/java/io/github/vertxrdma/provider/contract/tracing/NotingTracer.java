package io.github.vertxrdma.provider.contract.tracing;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Records spans, and sends the number of the current span in a header. */
public final class NotingTracer implements VertxTracer<NotingTracer.Span, NotingTracer.Span>, VertxTracerFactory {
  /** Current span of a context. Must be registered before a Vert.x instance is created. */
  public static final ContextLocal<Span> PRESENT = ContextLocal.registerLocal(Span.class);
  private static final String HEADER = "span";

  private final AtomicInteger numbers = new AtomicInteger();
  public final List<Span> spans = new CopyOnWriteArrayList<>();

  public static final class Span {
    public final int number;
    public final int parent;
    public final boolean client;
    public final String operation;
    public final Map<String, String> tags = new ConcurrentSkipListMap<>();
    public final AtomicInteger ends = new AtomicInteger();
    public volatile Throwable failure;

    Span(int number, int parent, boolean client, String operation) {
      this.number = number;
      this.parent = parent;
      this.client = client;
      this.operation = operation;
    }

    @Override
    public String toString() {
      return (client ? "client " : "server ") + operation + ' ' + number + " of " + parent + (ends.get() == 1 ? "" : ", ended "
        + ends + " times");
    }
  }

  public Span root() {
    return new Span(numbers.incrementAndGet(), 0, true, "root");
  }

  public static <T> Future<T> within(Vertx vertx, Span span, Supplier<Future<T>> call) {
    ContextInternal context = ((VertxInternal) vertx).getOrCreateContext().duplicate();
    PRESENT.put(context, span);
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> call.get().onComplete(promise));
    return promise.future();
  }

  private <R> Span begin(int parent, boolean client, String operation, TagExtractor<R> tags, R request) {
    Span span = new Span(numbers.incrementAndGet(), parent, client, operation);
    tags.extractTo(request, span.tags);
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
    Span span = begin(present == null ? 0 : present.number, true, operation, tags, request);
    headers.accept(HEADER, Integer.toString(span.number));
    return span;
  }

  @Override
  public <R> void receiveResponse(Context context, R response, Span span, Throwable failure, TagExtractor<R> tags) {
    tags.extractTo(response, span.tags);
    span.failure = failure;
    span.ends.incrementAndGet();
  }

  @Override
  public <R> Span receiveRequest(Context context, SpanKind kind, TracingPolicy policy, R request, String operation,
    Iterable<Map.Entry<String, String>> headers, TagExtractor<R> tags) {
    for (Map.Entry<String, String> header : headers) {
      if (header.getKey().equals(HEADER)) {
        Span span = begin(Integer.parseInt(header.getValue()), false, operation, tags, request);
        PRESENT.put(context, span);
        return span;
      }
    }
    return null;
  }

  @Override
  public <R> void sendResponse(Context context, R response, Span span, Throwable failure, TagExtractor<R> tags) {
    PRESENT.remove(context);
    receiveResponse(context, response, span, failure, tags);
  }
}
