package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class KilledServerTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  @Override
  String fabric() {
    return "shm";
  }

  private static long objects() {
    return Heap.objects("ClientCall", "ServerRequest");
  }

  @Test
  void callsUnderWayFailNameItAndAreForgotten() throws Exception {
    long before = objects();
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions().setLookupTimeout(Duration.ofSeconds(60)));
    callsFailWhenTheirServerIsKilled(client);
    RdmaGrpcServer next = server(node(), new RdmaGrpcServerOptions());
    serve(next, "Echo", call -> call.handler(call.response()::end));
    serve(next, "Never", call -> {});
    await(next.listen(NAME));
    until("the next is called", () -> {
      try {
        return HELLO.equals(await(unary(client, "Echo", HELLO)));
      } catch (Exception e) {
        return false;
      }
    });
    endWithoutAnswer(client);
    until("each call is forgotten", () -> objects() <= before);
  }

  private static void endWithoutAnswer(RdmaGrpcClient client) throws Exception {
    GrpcClientRequest<Buffer, Buffer> cancelled = await(call(client, "Never"));
    cancelled.write(HELLO);
    cancelled.cancel();
    failure(cancelled.response());
    GrpcClientRequest<Buffer, Buffer> late = await(call(client, "Never"));
    late.timeout(20, TimeUnit.MILLISECONDS).write(HELLO);
    // The deadline of the server may pass first, which answers with the status.
    GrpcStatus status = await(
      late.response().compose(response -> response.end().transform(done -> Future.succeededFuture(response.status())))
        .otherwise(cause -> ((GrpcErrorException) cause).status()));
    assertEquals(GrpcStatus.DEADLINE_EXCEEDED, status);
  }

  private void callsFailWhenTheirServerIsKilled(RdmaGrpcClient client) throws Exception {
    List<Future<?>> calls = new ArrayList<>();
    Promise<Throwable> told = Promise.promise();
    GrpcClientRequest<Buffer, Buffer> chat;
    String killed;
    try (ServerProcess server = ServerProcess.start(options())) {
      killed = server.nodeId;
      chat = await(call(client, "Chat"));
      Future<GrpcClientResponse<Buffer, Buffer>> response = chat.response();
      chat.write(HELLO);
      await(response).exceptionHandler(told::tryComplete);
      Promise<Void> arrived = Promise.promise();
      Buffer last = Buffer.buffer("last");
      response.result().handler(message -> {
        if (message.equals(last)) {
          arrived.complete();
        }
      });
      calls.add(response.result().end());
      for (int i = 0; i < 20; i++) {
        calls.add(unary(client, "Never", HELLO));
      }
      // The server has all calls when it has the next message. Calls that were not sent would be repeated.
      chat.write(last);
      await(arrived.future());
    }
    until("all have failed", () -> calls.stream().allMatch(Future::isComplete));
    for (Future<?> call : calls) {
      GrpcErrorException failure = assertThrows(GrpcErrorException.class, () -> {
        throw call.cause();
      });
      assertEquals(GrpcStatus.UNAVAILABLE, failure.status());
      // The server's name, and the start of its node's id.
      String cause = failure.getCause().getMessage();
      assertTrue(cause.contains(killed.substring(0, 8)) && cause.contains(NAME) && cause.contains("vertxrdma.test.Echo/"), cause);
    }
    assertEquals(calls.getFirst().cause(), await(told.future()));
    assertThrows(IllegalStateException.class, () -> chat.write(HELLO));
  }
}
