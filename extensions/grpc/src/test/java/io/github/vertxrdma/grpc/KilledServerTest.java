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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class KilledServerTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private String fabric;

  @Override
  String fabric() {
    return fabric;
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio", "tcp"})
  void callsUnderWayFailAndNameIt(String over) throws Exception {
    fabric = over;
    Node node = node();
    RdmaGrpcClient client = client(node, new RdmaGrpcClientOptions().setLookupTimeout(Duration.ofSeconds(60)));
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
      calls.add(response.result().end());
      for (int i = 0; i < 20; i++) {
        calls.add(unary(client, "Never", HELLO));
      }
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

    RdmaGrpcServer next = server(node(), new RdmaGrpcServerOptions());
    serve(next, "Echo", call -> call.handler(call.response()::end));
    await(next.listen(NAME));
    until("the next is called", () -> {
      try {
        return HELLO.equals(await(unary(client, "Echo", HELLO)));
      } catch (Exception e) {
        return false;
      }
    });
  }
}
