package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.grpc.NotingMetrics.Call;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer.Span;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ObservedTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private final NotingTracer tracer = new NotingTracer();
  private final NotingMetrics metrics = new NotingMetrics();
  private Node calling;

  @Override
  Vertx vertx() {
    return Vertx.builder().withTracer(tracer).withMetrics(options -> metrics).build();
  }

  private RdmaGrpcServer serving() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Twice", call -> call.last().onSuccess(message -> call.response().end(message.copy().appendBuffer(message))));
    serve(server, "Span", call -> {
      Span present = NotingTracer.PRESENT.get(Vertx.currentContext());
      call.response().end(Buffer.buffer(present == null ? "none" : Integer.toString(present.number)));
    });
    serve(server, "Refuse", call -> call.response().fail(new StatusException(GrpcStatus.NOT_FOUND, "no")));
    serve(server, "Throw", call -> {
      throw new IllegalStateException("not today");
    });
    serve(server, "Never", call -> {});
    return await(server.listen(NAME));
  }

  private RdmaGrpcClient calling(RdmaGrpcClientOptions options) throws Exception {
    calling = node();
    return client(calling, options);
  }

  private void untilEnded(int spans) {
    until(spans + " have ended in " + tracer.spans,
      () -> tracer.spans.size() == spans && tracer.spans.stream().allMatch(span -> span.ends.get() == 1));
  }

  private static void untilEnded(List<Call> calls, int count) {
    until(count + " have ended in " + calls, () -> calls.size() == count && calls.stream().allMatch(call -> call.ends.get() == 1));
  }

  private static void assertTags(Map<String, String> expected, Map<String, String> tags) {
    for (Map.Entry<String, String> tag : expected.entrySet()) {
      assertEquals(tag.getValue(), tags.get(tag.getKey()), tag.getKey() + " of " + tags);
    }
  }

  @Test
  void aCallIsASpanAtBothSides() throws Exception {
    serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions());
    Span root = tracer.root();
    String present = await(NotingTracer.within(calling.vertx(), root, () -> unary(client, "Span", HELLO))).toString();
    untilEnded(2);
    String path = ECHO.fullyQualifiedName() + "/Span";
    Span asked = tracer.spans.get(0);
    Span served = tracer.spans.get(1);
    assertEquals("client " + path + ' ' + asked.number + " of " + root.number, asked.toString());
    assertEquals("server " + path + ' ' + served.number + " of " + asked.number, served.toString());
    assertEquals(Integer.toString(served.number), present);
    for (Span span : tracer.spans) {
      assertEquals(
        Map.of("rpc.system", "grpc", "rpc.service", ECHO.fullyQualifiedName(), "rpc.method", "Span", "rpc.grpc.status_code", "0"),
        span.tags);
      assertNull(span.failure);
    }
    // No span begins without one of the caller, unless the policy requests it.
    assertEquals("none", await(unary(client, "Span", HELLO)).toString());
    RdmaGrpcClient always = client(calling, new RdmaGrpcClientOptions().setTracingPolicy(TracingPolicy.ALWAYS));
    assertEquals(Integer.toString(served.number + 2), await(unary(always, "Span", HELLO)).toString());
  }

  @Test
  void endsOfCallsAreThoseOfTheirSpans() throws Exception {
    serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions().setTracingPolicy(TracingPolicy.ALWAYS));
    failure(unary(client, "Refuse", HELLO));
    untilEnded(2);
    assertEquals(GrpcStatus.NOT_FOUND, assertInstanceOf(InvalidStatusException.class, tracer.spans.get(0).failure).actualStatus());
    assertNull(tracer.spans.get(1).failure, "the client's mistake is no failure of the server");
    assertTags(Map.of("rpc.grpc.status_code", "5"), tracer.spans.get(1).tags);
    tracer.spans.clear();

    failure(unary(client, "Throw", HELLO));
    untilEnded(2);
    assertEquals(GrpcStatus.UNKNOWN, assertInstanceOf(StatusException.class, tracer.spans.get(1).failure).status());
    tracer.spans.clear();

    GrpcClientRequest<Buffer, Buffer> cancelled = await(call(client, "Never"));
    cancelled.write(HELLO);
    until("both sides have begun", () -> tracer.spans.size() == 2);
    cancelled.cancel();
    untilEnded(2);
    for (Span span : tracer.spans) {
      assertEquals(GrpcStatus.CANCELLED, assertInstanceOf(GrpcErrorException.class, span.failure).status());
    }
  }

  @Test
  void failedListenKeepsMetricsOpen() throws Exception {
    RdmaGrpcServer server = serving();
    // An address for documentation, which no host has.
    failure(server.listen(SocketAddress.inetSocketAddress(0, "192.0.2.1")));
    await(unary(calling(new RdmaGrpcClientOptions()), "Twice", HELLO));
    untilEnded(metrics.served, 1);
    assertEquals(0, metrics.closed.get());
  }

  @Test
  void metricsCountEachCallOnce() throws Exception {
    RdmaGrpcServer server = serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions());
    await(unary(client, "Twice", HELLO));
    untilEnded(metrics.sent, 1);
    untilEnded(metrics.served, 1);
    String path = ECHO.fullyQualifiedName() + "/Twice";
    assertTags(Map.of("side", "grpc", "remote", "rdma:" + NAME, "uri", path, "asked", "5", "answering", "true", "answered", "10"),
      metrics.sent.get(0).tags);
    assertTags(
      Map.of("side", "POST", "local", "rdma:" + NAME, "uri", '/' + path, "route", '/' + path, "asked", "5", "answered", "10", "code", "200",
        "status", "0"),
      metrics.served.get(0).tags);

    GrpcClientRequest<Buffer, Buffer> late = await(call(client, "Never"));
    late.timeout(20, TimeUnit.MILLISECONDS);
    failure(late.send(HELLO).compose(GrpcClientResponse::last));
    await(client.close());
    await(server.shutdown(Duration.ofSeconds(20)));
    untilEnded(metrics.sent, 2);
    untilEnded(metrics.served, 2);
    // Either side may report first.
    for (Call call : List.of(metrics.sent.get(1), metrics.served.get(1))) {
      assertEquals(true, call.tags.containsKey("reset") || "4".equals(call.tags.get("status")) || call.tags.containsKey("answered"),
        call.toString());
    }
    until("both are closed in " + metrics.closed, () -> metrics.closed.get() == 2);
  }
}
