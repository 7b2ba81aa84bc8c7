package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer;
import io.github.vertxrdma.provider.contract.tracing.NotingTracer.Span;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import io.vertx.core.tracing.TracingPolicy;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BusTracingTest extends FabricPair {
  private final NotingTracer tracer = new NotingTracer();

  @Override
  Vertx vertx() {
    return Vertx.builder().withTracer(tracer).build();
  }

  private void deploy(Vertx vertx, String identifier) throws Exception {
    await(vertx.deployVerticle(identifier, new DeploymentOptions().setConfig(new JsonObject().put("rdma", options().toJson()))));
  }

  private <T> Future<T> within(Span span, Supplier<Future<T>> call) {
    return NotingTracer.within(clientVertx, span, call);
  }

  private void assertChain(Span root, String... spans) {
    until("all spans have ended in " + tracer.spans, () -> tracer.spans.size() >= spans.length
      && tracer.spans.stream().allMatch(span -> span.ends.get() > 0));
    int parent = root.number;
    assertEquals(spans.length, tracer.spans.size(), tracer.spans.toString());
    for (int i = 0; i < spans.length; i++) {
      Span span = tracer.spans.get(i);
      assertEquals(spans[i] + ' ' + span.number + " of " + parent, span.toString());
      parent = span.number;
    }
  }

  private void answerWithThePresentSpan() {
    serverVertx.eventBus().consumer("orders", m -> {
      Span present = NotingTracer.PRESENT.get(Vertx.currentContext());
      m.reply(present == null ? 0 : present.number);
    });
  }

  @Test
  void aRequestIsASpanAtBothEnds() throws Exception {
    answerWithThePresentSpan();
    deploy(serverVertx, "rdma:orders");
    RdmaBusClient bus = await(client.connectBus("orders"));
    Span root = tracer.root();
    Message<Integer> reply = await(within(root, () -> bus.request("new")));
    assertChain(root, "client send", "server send");
    assertEquals(tracer.spans.get(1).number, reply.body());
    assertEquals(Map.of("messaging.destination.name", "orders", "messaging.system", "vertx-rdma", "messaging.operation.name", "send"),
      tracer.spans.get(0).tags);
    assertNull(tracer.spans.get(0).failure);
    tracer.spans.clear();
    assertEquals(0, await(bus.<Integer>request("new")).body());
    assertTrue(tracer.spans.isEmpty(), tracer.spans.toString());
    assertEquals(0, await(within(root, () -> bus.<Integer>request("new",
      new DeliveryOptions().setTracingPolicy(TracingPolicy.IGNORE)))).body());
    assertTrue(tracer.spans.isEmpty(), tracer.spans.toString());
    await(bus.request("new", new DeliveryOptions().setTracingPolicy(TracingPolicy.ALWAYS).addHeader("kept", "yes")));
    assertEquals(2, tracer.spans.size(), tracer.spans.toString());
  }

  @Test
  void messageWithoutReplyIsASpanUntilItIsSent() throws Exception {
    serverVertx.eventBus().consumer("orders", m -> {});
    deploy(serverVertx, "rdma:orders");
    RdmaBusClient bus = await(client.connectBus("orders"));
    Span root = tracer.root();
    await(within(root, () -> bus.send("new")));
    assertChain(root, "client send", "server send");
    tracer.spans.clear();
    await(within(root, () -> bus.publish("news")));
    assertChain(root, "client publish", "server publish");
  }

  @Test
  void anAddressOfTheLocalBusIsOneMorePairOfSpans() throws Exception {
    answerWithThePresentSpan();
    deploy(serverVertx, "rdma:orders");
    deploy(clientVertx, "rdma:orders?connect");
    Span root = tracer.root();
    Message<Integer> reply = await(within(root, () -> clientVertx.eventBus().request("orders", "new")));
    assertChain(root, "client send", "server send", "client send", "server send");
    assertEquals(List.of("vertx-eventbus", "vertx-eventbus", "vertx-rdma", "vertx-eventbus"),
      tracer.spans.stream().map(span -> span.tags.get("messaging.system")).toList());
    assertEquals(tracer.spans.get(3).number, reply.body());
  }

  @Test
  void failuresAreThoseOfTheSpans() throws Exception {
    serverVertx.eventBus().consumer("orders", m -> m.fail(404, "no such order"));
    deploy(serverVertx, "rdma:orders");
    RdmaBusClient bus = await(client.connectBus("orders"));
    assertThrows(ExecutionException.class, () -> await(within(tracer.root(), () -> bus.request("old"))));
    ReplyException failure = assertInstanceOf(ReplyException.class, tracer.spans.get(0).failure);
    assertEquals(ReplyFailure.RECIPIENT_FAILURE, failure.failureType());
    tracer.spans.clear();
    assertThrows(ExecutionException.class, () -> await(within(tracer.root(), () -> bus.request(new Object()))));
    assertInstanceOf(IllegalArgumentException.class, tracer.spans.get(0).failure);
    assertEquals(1, tracer.spans.get(0).ends.get());
  }

  @Test
  void aReplyThatCannotBeReadIsAFailureOfItsSpan() throws Exception {
    serverVertx.eventBus().consumer("orders", m -> m.reply(new JsonObject().put("amount", BigInteger.TEN.pow(5000))));
    deploy(serverVertx, "rdma:orders");
    deploy(clientVertx, "rdma:orders?connect");
    Future<Message<Object>> reply = within(tracer.root(), () -> clientVertx.eventBus().request("orders", "new"));
    ReplyException failure = assertInstanceOf(ReplyException.class, assertThrows(ExecutionException.class, () -> await(reply)).getCause());
    assertEquals("the body of type 4 is damaged or incomplete", failure.getMessage());
    Span sent = tracer.spans.stream().filter(span -> "vertx-rdma".equals(span.tags.get("messaging.system"))).findFirst().orElseThrow();
    until("the span has ended", () -> sent.ends.get() > 0);
    assertInstanceOf(IllegalArgumentException.class, sent.failure);
    assertEquals(1, sent.ends.get());
  }
}
