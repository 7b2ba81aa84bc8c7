package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message that both sides of a call accept, and the connection does not, ends only its call. */
@Timeout(120)
class ConnectionBoundTest extends Nodes {
  private static final int MOST = 50_000;
  private static final Buffer HELLO = Buffer.buffer("hello");

  @Override
  protected RdmaOptions options() {
    return super.options().setMaxMessageSize(MOST);
  }

  @Test
  void tooLargeFrameEndsOnlyItsCall() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> call.handler(call.response()::end));
    serve(server, "Chat", call -> call.pipeTo(call.response()));
    serve(server, "Big", call -> call.response().end(Buffer.buffer(new byte[MOST])));
    serve(server, "BigLater", call -> {
      call.response().write(HELLO);
      call.response().end(Buffer.buffer(new byte[MOST]));
    });
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    Promise<Buffer> second = Promise.promise();
    GrpcClientRequest<Buffer, Buffer> open = await(
      call(client, "Chat").onSuccess(request -> request.response().onSuccess(response -> response.handler(message -> {
        if (!message.equals(HELLO)) {
          second.tryComplete(message);
        }
      }))));
    open.write(HELLO);

    assertEquals(MOST - 1_000, await(unary(client, "Echo", Buffer.buffer(new byte[MOST - 1_000]))).length());
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, unary(client, "Echo", Buffer.buffer(new byte[MOST])));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, unary(client, "Big", HELLO));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, unary(client, "BigLater", HELLO));
    GrpcClientRequest<Buffer, Buffer> inTheMiddle = await(call(client, "Chat"));
    inTheMiddle.write(HELLO);
    inTheMiddle.write(Buffer.buffer(new byte[MOST]));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, inTheMiddle.response().compose(GrpcClientResponse::end));

    open.write(Buffer.buffer("two"));
    assertEquals("two", await(second.future()).toString());
  }

  @Test
  void manyCallsThatWaitedAndCannotBeSentEndEachByItself() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions().setMaxCalls(1));
    Promise<GrpcServerRequest<Buffer, Buffer>> held = Promise.promise();
    serve(server, "Hold", held::complete);
    serve(server, "Echo", call -> call.handler(call.response()::end));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    Future<Buffer> first = unary(client, "Hold", HELLO);
    GrpcServerRequest<Buffer, Buffer> holding = await(held.future());
    Buffer big = Buffer.buffer(new byte[MOST]);
    List<Future<Buffer>> waiting = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      waiting.add(unary(client, "Echo", big));
    }
    Future<Buffer> last = unary(client, "Echo", HELLO);
    holding.response().end(HELLO);
    assertEquals(HELLO, await(first));
    assertEquals(HELLO, await(last));
    for (Future<Buffer> each : waiting) {
      assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, each);
    }
  }
}
