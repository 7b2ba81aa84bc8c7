package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls carry the trace of their caller, and are spans of it at both ends. */
@Timeout(60)
class TracingTest extends Nodes {
  private final NotingTracer tracer = new NotingTracer();

  @Override
  Vertx vertx() {
    return Vertx.builder().withTracer(tracer).build();
  }

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("present", ON_LOOP, invocation -> Future.succeededFuture(present()));
    registry.register("present on a thread", invocation -> Future.succeededFuture(present()));
    registry.register("parts", ON_LOOP, invocation -> {
      invocation.write(Buffer.buffer("one, "));
      return Future.succeededFuture(Buffer.buffer("two"));
    });
  }

  private static Buffer present() {
    Span present = NotingTracer.PRESENT.get(Vertx.currentContext());
    return Buffer.buffer(present == null ? "none" : present.toString().replaceFirst(", .*", ""));
  }

  private static <T> Future<T> within(Node node, Span span, Supplier<Future<T>> call) {
    return NotingTracer.within(node.vertx, span, call);
  }

  @Test
  void aCallIsASpanAtBothEnds() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    for (String function : List.of("present", "present on a thread")) {
      // Calls as messages, and as notified writes.
      for (int size : List.of(0, 20_000)) {
        tracer.spans.clear();
        Span root = tracer.root();
        Buffer seen = await(within(client, root, () -> invoker.invoke(function, Buffer.buffer(new byte[size]))));
        assertEquals(2, tracer.spans.size(), tracer.spans.toString());
        Span asked = tracer.spans.get(0);
        Span served = tracer.spans.get(1);
        assertEquals("client " + function + ' ' + asked.number + " of " + root.number, asked.toString());
        assertEquals("server " + function + ' ' + served.number + " of " + asked.number, served.toString());
        assertEquals(served.toString(), seen.toString());
        assertEquals(Map.of("rpc.system", "vertx-rdma", "rpc.method", function), asked.tags);
        assertEquals(asked.tags, served.tags);
        assertNull(asked.failure);
        assertNull(served.failure);
      }
    }
  }

  @Test
  void argumentsResultsAndPartsAreAsWithoutATrace() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    Span root = tracer.root();
    assertEquals("as it was", await(within(client, root, () -> invoker.invoke("echo", Buffer.buffer("as it was")))).toString());
    Buffer parts = Buffer.buffer();
    await(within(client, root, () -> {
      ResultStream stream = invoker.stream("parts", Buffer.buffer(), CallOptions.DEFAULT);
      Promise<Void> ended = Promise.promise();
      stream.handler(parts::appendBuffer).endHandler(v -> ended.complete());
      return stream.result().compose(result -> ended.future().onSuccess(v -> parts.appendBuffer(result)));
    }));
    assertEquals("one, two", parts.toString());
    assertEquals(4, tracer.spans.size(), tracer.spans.toString());
    tracer.spans.clear();
    assertEquals("none", await(invoker.invoke("present", Buffer.buffer())).toString());
    assertTrue(tracer.spans.isEmpty(), tracer.spans.toString());
  }

  @Test
  void failuresAreThoseOfTheSpans() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    assertFails(Reason.FUNCTION_FAILED, "broken", within(client, tracer.root(), () -> invoker.invoke("fail", Buffer.buffer("broken"))));
    for (Span span : tracer.spans) {
      assertEquals(Reason.FUNCTION_FAILED, assertInstanceOf(FunctionException.class, span.failure, span.toString()).reason());
    }
    tracer.spans.clear();
    Promise<Call> called = Promise.promise();
    Future<Buffer> result = within(client, tracer.root(), () -> {
      Call call = invoker.call("never", Buffer.buffer("given up"), CallOptions.DEFAULT);
      called.complete(call);
      return call.result();
    });
    until("it runs", () -> begun.containsKey("given up"));
    await(called.future()).cancel();
    assertFails(Reason.CANCELLED, "was cancelled", result);
    until("the worker has given up as well", () -> tracer.spans.stream().allMatch(span -> span.ends.get() == 1));
    assertEquals(2, tracer.spans.size(), tracer.spans.toString());
    for (Span span : tracer.spans) {
      assertEquals(Reason.CANCELLED, assertInstanceOf(FunctionException.class, span.failure, span.toString()).reason());
    }
  }
}
