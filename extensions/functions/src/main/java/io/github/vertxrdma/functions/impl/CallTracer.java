package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.impl.calls.SpanTags;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Reports calls to the tracer of Vert.x. Trace headers precede the arguments: each has length and text of its name, then of its value.
 * Lengths have two bytes, little endian.
 */
final class CallTracer {
  /** Tags by the OpenTelemetry conventions for RPC. The value is the name of the function. */
  private static final TagExtractor<String> TAGS = new SpanTags<>(List.of("rpc.system", "rpc.method"),
    List.of(function -> "vertx-rdma", Function.identity()));
  private static final int LONGEST = 0xffff;

  private final VertxTracer<Object, Object> tracer;

  private CallTracer(VertxTracer<Object, Object> tracer) {
    this.tracer = tracer;
  }

  @SuppressWarnings("unchecked")
  static CallTracer of(Vertx vertx) {
    // Safe: the tracer gets only values that it returned.
    VertxTracer<Object, Object> tracer = (VertxTracer<Object, Object>) ((VertxInternal) vertx).tracer();
    return tracer == null ? null : new CallTracer(tracer);
  }

  /** Starts a span that ends with the result. Returns the trace headers. */
  Buffer calls(ContextInternal context, String function, Future<Buffer> result) {
    Buffer headers = Buffer.buffer();
    Object span = tracer.sendRequest(context, SpanKind.RPC, TracingPolicy.PROPAGATE, function, function,
      (name, value) -> append(headers, name, value), TAGS);
    if (span != null) {
      result.onComplete((answer, cause) -> tracer.receiveResponse(context, answer, span, cause, TagExtractor.empty()));
    }
    return headers;
  }

  private static void append(Buffer headers, String name, String value) {
    byte[] first = Wire.bytes(name);
    byte[] second = Wire.bytes(value);
    // Skips headers that are too long: a call must not fail because of its trace.
    if (first.length <= LONGEST && second.length <= LONGEST) {
      headers.appendUnsignedShortLE(first.length).appendBytes(first).appendUnsignedShortLE(second.length).appendBytes(second);
    }
  }

  /** Runs a call on a duplicated context, which keeps the span. */
  void serve(Execution execution, ContextInternal worker, Runnable run) {
    ContextInternal context = worker.duplicate();
    context.dispatch(v -> {
      Object span = tracer.receiveRequest(context, SpanKind.RPC, TracingPolicy.PROPAGATE, execution.function(), execution.function(),
        execution.headers == null ? List.of() : read(execution.headers), TAGS);
      if (span != null) {
        execution.span = cause -> tracer.sendResponse(context, null, span, cause, TagExtractor.empty());
      }
      run.run();
    });
  }

  static List<Map.Entry<String, String>> read(Buffer headers) {
    List<Map.Entry<String, String>> read = new ArrayList<>();
    int at = 0;
    try {
      while (at < headers.length()) {
        int middle = at + 2 + headers.getUnsignedShortLE(at);
        int end = middle + 2 + headers.getUnsignedShortLE(middle);
        read.add(Map.entry(headers.getString(at + 2, middle), headers.getString(middle + 2, end)));
        at = end;
      }
    } catch (IndexOutOfBoundsException e) {
      // The last header is incomplete.
    }
    return read;
  }
}
