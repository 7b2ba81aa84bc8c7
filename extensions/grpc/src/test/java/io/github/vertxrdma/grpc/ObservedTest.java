package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.grpc.Noted.Call;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
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
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Metrics and the tracer of Vert.x hear of each call at both sides, once. */
@Timeout(120)
class ObservedTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private final Noted noted = new Noted();
  private Node calling;

  @Override
  Vertx vertx() {
    return noted.vertx();
  }

  private RdmaGrpcServer serving() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Twice", call -> call.last().onSuccess(message -> call.response().end(message.copy().appendBuffer(message))));
    serve(server, "Span", call -> {
      Call present = Noted.PRESENT.get(Vertx.currentContext());
      call.response().end(Buffer.buffer(Integer.toString(noted.spans.indexOf(present))));
    });
    serve(server, "Refuse", call -> call.response().fail(new StatusException(GrpcStatus.NOT_FOUND, "no")));
    serve(server, "Throw", call -> {
      throw new IllegalStateException("not today");
    });
    serve(server, "Never", call -> { });
    return await(server.listen(NAME));
  }

  private RdmaGrpcClient calling(RdmaGrpcClientOptions options) throws Exception {
    calling = node();
    return client(calling, options);
  }

  /** Makes a call within a span, the first. */
  private <T> Future<T> within(Supplier<Future<T>> call) {
    Call root = new Call();
    noted.spans.add(root);
    root.ends.incrementAndGet();
    var context = ((VertxInternal) calling.vertx()).getOrCreateContext().duplicate();
    Noted.PRESENT.put(context, root);
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> call.get().onComplete(promise));
    return promise.future();
  }

  private static void untilEnded(List<Call> calls, int count) {
    until(count + " have ended in " + calls, () -> calls.size() == count && calls.stream().allMatch(call -> call.ends.get() == 1));
  }

  private static void assertTags(Map<String, String> expected, Call call) {
    for (Map.Entry<String, String> tag : expected.entrySet()) {
      assertEquals(tag.getValue(), call.tags.get(tag.getKey()), tag.getKey() + " of " + call);
    }
  }

  @Test
  void aCallIsASpanAtBothSides() throws Exception {
    serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions());
    assertEquals("2", await(within(() -> unary(client, "Span", HELLO))).toString());
    untilEnded(noted.spans, 3);
    String path = ECHO.fullyQualifiedName() + "/Span";
    for (String side : List.of("client", "server")) {
      Call span = noted.spans.get(side.equals("client") ? 1 : 2);
      assertTags(Map.of("side", side, "parent", side.equals("client") ? "0" : "1", "operation", path, "rpc.system", "grpc", "rpc.service",
        ECHO.fullyQualifiedName(), "rpc.method", "Span", "rpc.grpc.status_code", "0"), span);
      assertNull(span.failure);
    }
    // Nothing begins where there is nothing to go on with, unless that is asked for.
    assertEquals("-1", await(unary(client, "Span", HELLO)).toString());
    assertEquals("4", await(unary(client(calling, new RdmaGrpcClientOptions().setTracingPolicy(TracingPolicy.ALWAYS)), "Span", HELLO)).toString());
  }

  @Test
  void endsOfCallsAreThoseOfTheirSpans() throws Exception {
    serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions().setTracingPolicy(TracingPolicy.ALWAYS));
    failure(unary(client, "Refuse", HELLO));
    untilEnded(noted.spans, 2);
    assertEquals(GrpcStatus.NOT_FOUND, assertInstanceOf(InvalidStatusException.class, noted.spans.get(0).failure).actualStatus());
    assertNull(noted.spans.get(1).failure, "the client's mistake is no failure of the server");
    assertTags(Map.of("rpc.grpc.status_code", "5"), noted.spans.get(1));
    noted.spans.clear();

    failure(unary(client, "Throw", HELLO));
    untilEnded(noted.spans, 2);
    assertEquals(GrpcStatus.UNKNOWN, assertInstanceOf(StatusException.class, noted.spans.get(1).failure).status());
    noted.spans.clear();

    GrpcClientRequest<Buffer, Buffer> cancelled = await(call(client, "Never"));
    cancelled.write(HELLO);
    until("both sides have begun", () -> noted.spans.size() == 2);
    cancelled.cancel();
    untilEnded(noted.spans, 2);
    for (Call span : noted.spans) {
      assertEquals(GrpcStatus.CANCELLED, assertInstanceOf(GrpcErrorException.class, span.failure).status());
    }
  }

  @Test
  void metricsHearOfEachCallOnce() throws Exception {
    RdmaGrpcServer server = serving();
    RdmaGrpcClient client = calling(new RdmaGrpcClientOptions());
    await(unary(client, "Twice", HELLO));
    untilEnded(noted.sent, 1);
    untilEnded(noted.served, 1);
    String path = ECHO.fullyQualifiedName() + "/Twice";
    assertTags(Map.of("side", "grpc", "remote", "rdma:" + NAME, "uri", path, "asked", "5", "answering", "true", "answered", "10"), noted.sent.get(0));
    assertTags(Map.of("side", "POST", "local", "rdma:" + NAME, "uri", '/' + path, "route", '/' + path, "asked", "5", "answered", "10", "code", "200",
      "status", "0"), noted.served.get(0));

    GrpcClientRequest<Buffer, Buffer> late = await(call(client, "Never"));
    late.timeout(20, TimeUnit.MILLISECONDS);
    failure(late.send(HELLO).compose(GrpcClientResponse::last));
    await(client.close());
    await(server.shutdown(Duration.ofSeconds(20)));
    untilEnded(noted.sent, 2);
    untilEnded(noted.served, 2);
    // Whichever side is the first to tell.
    for (Call call : List.of(noted.sent.get(1), noted.served.get(1))) {
      assertEquals(true, call.tags.containsKey("reset") || "4".equals(call.tags.get("status")) || call.tags.containsKey("answered"), call.toString());
    }
    until("both are closed in " + noted.closed, () -> noted.closed.get() == 2);
  }
}
