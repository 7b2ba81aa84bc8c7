package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.WireFormat;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class CallTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private RdmaGrpcServer serving(RdmaGrpcServerOptions options) throws Exception {
    RdmaGrpcServer server = server(node(), options);
    serve(server, "Echo", call -> call.last().onSuccess(message -> call.response().end(message)));
    serve(server, "Big",
      call -> call.last().onSuccess(size -> call.response().end(Buffer.buffer(new byte[Integer.parseInt(size.toString())]))));
    serve(server, "Chat", call -> call.pipeTo(call.response()));
    serve(server, "Throw", call -> {
      throw new IllegalArgumentException("not today");
    });
    serve(server, "Error", call -> {
      throw new AssertionError("not tomorrow");
    });
    return await(server.listen(NAME));
  }

  @Test
  void messageThatIsTooLongEndsOnlyItsCall() throws Exception {
    serving(new RdmaGrpcServerOptions().setMaxMessageSize(1_000).setMaxMetadataSize(200));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions().setMaxMessageSize(500).setMaxMetadataSize(100));
    GrpcClientRequest<Buffer, Buffer> open = await(call(client, "Chat"));
    List<String> chat = new ArrayList<>();
    open.response().onSuccess(response -> response.handler(message -> chat.add(message.toString())));
    open.write(Buffer.buffer("one"));

    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, unary(client, "Echo", Buffer.buffer(new byte[1_001])));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, unary(client, "Big", Buffer.buffer("501")));
    assertEquals(500, await(unary(client, "Big", Buffer.buffer("500"))).length());
    GrpcClientRequest<Buffer, Buffer> metadata = await(call(client, "Echo"));
    metadata.headers().set("key", "v".repeat(200));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, metadata.send(HELLO).compose(GrpcClientResponse::last));
    GrpcClientRequest<Buffer, Buffer> inTheMiddle = await(call(client, "Chat"));
    inTheMiddle.write(HELLO);
    inTheMiddle.write(Buffer.buffer(new byte[1_001]));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, inTheMiddle.response().compose(GrpcClientResponse::end));

    open.write(Buffer.buffer("two"));
    until("the other call goes on", () -> chat.size() == 2);
  }

  @Test
  void trailersAreHeadersOfAnAnswerWithoutMessages() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    serve(server, "Refused", call -> {
      call.response().trailers().set("why", "closed");
      call.response().status(GrpcStatus.UNAVAILABLE).end();
    });
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    GrpcClientResponse<Buffer, Buffer> response = await(call(client, "Refused").compose(request -> request.send(HELLO)));
    assertEquals(GrpcStatus.UNAVAILABLE, response.status());
    assertEquals("closed", response.headers().get("why"));
    assertEquals("identity", response.encoding());
  }

  @Test
  void aStatusHasWordsAndDetails() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    // A google.rpc.Status as trailers contain it.
    String details = Base64.getEncoder().withoutPadding().encodeToString(new byte[] {8, 5, 18, 2, 'n', 'o'});
    serve(server, "Detailed", call -> {
      call.response().trailers().set("grpc-status-details-bin", details);
      call.response().write(HELLO);
      call.response().status(GrpcStatus.NOT_FOUND).statusMessage("no").end();
    });
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    GrpcClientResponse<Buffer, Buffer> response = await(call(client, "Detailed").compose(request -> request.send(HELLO)));
    assertStatus(GrpcStatus.NOT_FOUND, response.end());
    assertEquals("no", response.statusMessage());
    assertEquals(details, response.trailers().get("grpc-status-details-bin"));
  }

  @Test
  void idleTimeoutIsSetOnACallInFlight() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    Promise<Void> arrived = Promise.promise();
    serve(server, "Silent", call -> call.handler(message -> arrived.tryComplete()));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Silent"));
    request.write(HELLO);
    await(arrived.future());
    request.idleTimeout(20);
    assertFails(GrpcStatus.CANCELLED, request.response());
  }

  @Test
  void jsonNeedsNoProtobuf() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    server.callHandler(ServiceMethod.server(ECHO, "Json", GrpcMessageEncoder.JSON_OBJECT, GrpcMessageDecoder.JSON_OBJECT),
      call -> call.last().onSuccess(message -> call.response().end(message.put("format", call.format().name()))));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    JsonObject answer = await(
      client.request(ServiceMethod.client(ECHO, "Json", GrpcMessageEncoder.JSON_OBJECT, GrpcMessageDecoder.JSON_OBJECT))
        .compose(request -> request.format(WireFormat.JSON).send(new JsonObject().put("x", 1))).compose(GrpcClientResponse::last));
    assertEquals(new JsonObject().put("x", 1).put("format", "JSON"), answer);
  }

  @Test
  void callsBeyondTheLimitWaitForTheirTurn() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions().setMaxCalls(2));
    List<GrpcServerRequest<Buffer, Buffer>> held = new ArrayList<>();
    serve(server, "Hold", call -> {
      synchronized (held) {
        held.add(call);
      }
    });
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    // Calls that wait for the first connection begin in any order.
    await(unary(client, "Echo", HELLO));
    List<Future<Buffer>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(unary(client, "Hold", Buffer.buffer("call " + i)));
    }
    for (int i = 0; i < 5; i++) {
      int n = i;
      until("call " + n + " is under way", () -> size(held) > n);
      assertTrue(size(held) <= n + 2, () -> size(held) + " begun where " + n + " are over");
      held.get(i).last().onSuccess(message -> held.get(n).response().end(message));
      assertEquals("call " + i, await(answers.get(i)).toString());
    }
  }

  private static int size(List<?> list) {
    synchronized (list) {
      return list.size();
    }
  }

  @Test
  void eitherSideCancels() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    Promise<GrpcError> reported = Promise.promise();
    serve(server, "Forever", call -> call.errorHandler(reported::tryComplete));
    serve(server, "Cancels", call -> call.response().cancel());
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Forever"));
    request.write(HELLO);
    request.cancel();
    assertFails(GrpcStatus.CANCELLED, request.response());
    assertEquals(GrpcError.CANCELLED, await(reported.future()));
    assertThrows(IllegalStateException.class, () -> request.write(HELLO));
    assertFails(GrpcStatus.CANCELLED, unary(client, "Cancels", HELLO));
    assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
  }

  @Test
  void deadlineIsPassedToNestedCalls() throws Exception {
    RdmaGrpcServer back = server(node(), new RdmaGrpcServerOptions());
    Promise<Long> left = Promise.promise();
    Promise<GrpcError> expired = Promise.promise();
    serve(back, "Never", call -> {
      left.tryComplete(call.timeout());
      call.errorHandler(expired::tryComplete);
    });
    await(back.listen("back"));
    Node middle = node();
    RdmaGrpcClient through = RdmaGrpcClient.create(middle.rdma(), new RdmaGrpcClientOptions().setServer("back"));
    RdmaGrpcServer front = server(middle, new RdmaGrpcServerOptions());
    serve(front, "Through", call -> unary(through, "Never", HELLO)
      .onFailure(cause -> call.response().fail(
        cause.toString().contains("DEADLINE_EXCEEDED") ? new StatusException(GrpcStatus.DEADLINE_EXCEEDED, "late") : cause)));
    await(front.listen(NAME));
    Node caller = node();
    long millis = 150;
    // A slow machine may take longer just to connect the three.
    do {
      millis *= 2;
      RdmaGrpcClient client = client(caller, new RdmaGrpcClientOptions().setTimeout(Duration.ofMillis(millis)));
      Throwable failure = failure(unary(client, "Through", HELLO));
      assertTrue(failure.toString().contains("DEADLINE_EXCEEDED"), failure.toString());
    } while (!left.future().isComplete());
    assertTrue(await(left.future()) <= millis);
    await(expired.future());
  }

  @Test
  void aHandlerThatThrowsAnswersUnknown() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    serve(server, "MessageThrows", call -> call.messageHandler(message -> {
      throw new IllegalArgumentException("not this one");
    }));
    serve(server, "EndThrows", call -> call.endHandler(v -> {
      throw new IllegalArgumentException("not at the end");
    }));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    for (String method : List.of("Throw", "Error", "MessageThrows", "EndThrows")) {
      assertStatus(GrpcStatus.UNKNOWN, unary(client, method, HELLO));
    }
  }

  @Test
  void exceptionOfAHandlerAfterItsAnswerIsReported() throws Exception {
    Node node = node();
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    serve(server, "TooLate", call -> {
      call.response().end(HELLO);
      throw new IllegalArgumentException("too late");
    });
    await(server.listen(NAME));
    Promise<Throwable> reported = Promise.promise();
    node.vertx().exceptionHandler(reported::tryComplete);
    assertEquals(HELLO, await(unary(client(node(), new RdmaGrpcClientOptions()), "TooLate", HELLO)));
    assertEquals("too late", await(reported.future()).getMessage());
  }

  @Test
  void readerFailsWhenACallIsAnsweredBeforeItsClientEnds() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    Promise<GrpcServerRequest<Buffer, Buffer>> served = Promise.promise();
    Promise<Buffer> last = Promise.promise();
    Promise<Throwable> reported = Promise.promise();
    serve(server, "Answered", call -> {
      call.exceptionHandler(reported::tryComplete);
      call.last().onComplete(last);
      call.pause();
      call.fetch(1);
      served.complete(call);
    });
    GrpcClientRequest<Buffer, Buffer> request = await(call(client(node(), new RdmaGrpcClientOptions()), "Answered"));
    request.write(HELLO);
    request.write(HELLO);
    GrpcServerRequest<Buffer, Buffer> call = await(served.future());
    call.response().end(HELLO);
    assertEquals(HELLO, await(await(request.response()).last()));
    call.resume();
    assertFails(GrpcStatus.CANCELLED, last.future());
    assertSame(failure(last.future()), await(reported.future()));
    assertTrue(failure(call.end()).getCause().getMessage().contains("Answered: its response ended before the client had"));
  }

  @ParameterizedTest
  @EnumSource(names = {"EVENT_LOOP", "WORKER"})
  void fromAnyKindOfContext(ThreadingModel threading) throws Exception {
    Node node = node();
    Promise<RdmaGrpcServer> listening = Promise.promise();
    Promise<Buffer> answer = Promise.promise();
    await(node.vertx().deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
        serve(server, "Many", call -> {
          call.response().write(Buffer.buffer("a"));
          call.response().write(Buffer.buffer("b"));
          call.last().onSuccess(call.response()::end);
        });
        return server.listen(NAME).onComplete(listening);
      }
    }, new DeploymentOptions().setThreadingModel(threading)));
    await(listening.future());
    Node calling = node();
    await(calling.vertx().deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        Buffer all = Buffer.buffer();
        RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
        return call(client, "Many").compose(request -> request.send(Buffer.buffer("c"))).onSuccess(response -> response
          .handler(all::appendBuffer).endHandler(v -> answer.complete(all)));
      }
    }, new DeploymentOptions().setThreadingModel(threading)));
    assertEquals("abc", await(answer.future()).toString());
  }

  @Test
  void unknownNameIsReported() throws Exception {
    Node node = node();
    RdmaGrpcClient client = client(node, new RdmaGrpcClientOptions().setLookupTimeout(Duration.ofMillis(50)));
    assertTrue(failure(call(client, "Echo")).getMessage().contains("no server '" + NAME + "'"));
    await(node.rdma().close());
    Throwable closed = failure(call(client, "Echo"));
    assertTrue(closed.getMessage().contains("closed"), closed.toString());
    await(client.close());
    assertTrue(failure(call(client, "Echo")).getMessage().contains("closed"));
  }

  @Test
  void deadlineEndsTheSearchForAnUnknownName() throws Exception {
    assertFails(GrpcStatus.DEADLINE_EXCEEDED, call(client(node(), new RdmaGrpcClientOptions().setTimeout(Duration.ofMillis(200))), "Echo"));
  }

  @Test
  void aTimeoutOfTheRequestIsItsOwn() throws Exception {
    RdmaGrpcServer server = serving(new RdmaGrpcServerOptions());
    serve(server, "Never", call -> {});
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions().setTimeout(Duration.ofSeconds(60)));
    GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Never"));
    Throwable failure = failure(request.timeout(20, TimeUnit.MILLISECONDS).send(HELLO).compose(GrpcClientResponse::last));
    assertTrue(failure.toString().contains("DEADLINE_EXCEEDED"), failure.toString());
    assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
  }
}
