package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.common.MessageSizeOverflowException;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EncodingTest extends Nodes {
  private static final int MOST = 100_000;
  private static final Buffer HELLO = Buffer.buffer("hello");

  private RdmaGrpcServer server;
  private RdmaGrpcClient client;

  @BeforeEach
  void start() throws Exception {
    server = server(node(), new RdmaGrpcServerOptions().setMaxMessageSize(MOST));
    serve(server, "Echo", call -> call.last().onSuccess(message -> call.response().end(message)));
    await(server.listen(NAME));
    client = client(node(), new RdmaGrpcClientOptions().setMaxMessageSize(MOST));
  }

  /** @param answered sets handlers of the answer before it arrives */
  private Future<GrpcClientResponse<Buffer, Buffer>> send(String method, Buffer message,
    Handler<GrpcClientResponse<Buffer, Buffer>> answered) {
    return call(client, method).compose(request -> {
      request.response().onSuccess(answered);
      return request.send(message);
    });
  }

  @Test
  void messagesAreCompressedOnRequest() throws Exception {
    Promise<String> encoding = Promise.promise();
    serve(server, "Gzip", call -> {
      encoding.complete(call.encoding());
      call.last().onSuccess(message -> call.response().encoding("gzip").end(message));
    });
    Buffer zeros = Buffer.buffer(new byte[90_000]);
    GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Gzip"));
    GrpcClientResponse<Buffer, Buffer> response = await(request.encoding("gzip").send(zeros));
    assertEquals(zeros, await(response.last()));
    assertEquals("gzip", response.encoding());
    assertEquals("gzip", await(encoding.future()));
    assertThrows(Exception.class, () -> await(await(call(client, "Echo")).encoding("zstd").end(HELLO)));
    assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
  }

  @Test
  void decompressedMessageBeyondTheLimitIsTooLong() throws Exception {
    Buffer zeros = Buffer.buffer(new byte[MOST + 1]);
    serve(server, "Read", call -> call.handler(call.response()::end));
    assertStatus(GrpcStatus.RESOURCE_EXHAUSTED, call(client, "Read").compose(request -> request.encoding("gzip").send(zeros))
      .compose(GrpcClientResponse::last));
    serve(server, "Give", call -> call.response().encoding("gzip").end(zeros));
    List<Buffer> answers = new CopyOnWriteArrayList<>();
    assertFails(GrpcStatus.RESOURCE_EXHAUSTED,
      send("Give", HELLO, response -> response.handler(answers::add)).compose(GrpcClientResponse::end));
    assertEquals(List.of(), answers);
    Promise<InvalidMessageException> told = Promise.promise();
    serve(server, "Told", call -> call.handler(call.response()::end).invalidMessageHandler(invalid -> {
      told.complete(invalid);
      call.response().end(HELLO);
    }));
    assertEquals(HELLO,
      await(call(client, "Told").compose(request -> request.encoding("gzip").send(zeros)).compose(GrpcClientResponse::last)));
    assertInstanceOf(MessageSizeOverflowException.class, await(told.future()));
    assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
  }

  @Test
  void nothingIsCompressedUnlessItsWriterAsks() throws Exception {
    for (String asked : List.of("identity", "gzip")) {
      GrpcClientResponse<Buffer, Buffer> response = await(call(client, "Echo").compose(request -> request.encoding(asked).send(HELLO)));
      assertEquals("identity", response.encoding());
      assertEquals(HELLO, await(response.last()));
    }
    Promise<GrpcMessage> plain = Promise.promise();
    await(send("Echo", Buffer.buffer(new byte[90_000]), response -> response.messageHandler(plain::complete)));
    assertEquals("identity", await(plain.future()).encoding());
  }

  private static Buffer gzip(Buffer message) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream packed = new GZIPOutputStream(out)) {
      packed.write(message.getBytes());
    }
    return Buffer.buffer(out.toByteArray());
  }

  @Test
  void messagesComeInTheEncodingOfTheirSide() throws Exception {
    serve(server, "Encoded",
      call -> call.messageHandler(message -> call.response().encoding(call.headers().get("answer")).endMessage(message)));
    Map<String, Buffer> hello = Map.of("identity", HELLO, "gzip", gzip(HELLO));
    for (String is : hello.keySet()) {
      for (String asked : hello.keySet()) {
        for (String answer : hello.keySet()) {
          Promise<GrpcMessage> came = Promise.promise();
          GrpcClientRequest<Buffer, Buffer> request = await(call(client, "Encoded").onSuccess(begun -> begun.response()
            .onFailure(came::tryFail).onSuccess(response -> response.messageHandler(came::complete))));
          request.headers().set("answer", answer);
          await(request.encoding(asked).endMessage(GrpcMessage.message(is, hello.get(is))));
          assertEquals(answer, await(came.future()).encoding());
          assertEquals(hello.get(answer), await(came.future()).payload(), is + " in a call in " + asked + " with an answer in " + answer);
        }
      }
    }
    GrpcClientRequest<Buffer, Buffer> spoilt = await(call(client, "Encoded"));
    assertInstanceOf(CodecException.class, failure(spoilt.encoding("identity").endMessage(GrpcMessage.message("gzip", HELLO))));
  }

  /** Vert.x's decoder of JSON objects fails for other bytes. */
  @Test
  void aMessageThatItsDecoderFailsOfEndsItsCall() throws Exception {
    server.callHandler(ServiceMethod.server(ECHO, "Json", GrpcMessageEncoder.JSON_OBJECT, GrpcMessageDecoder.JSON_OBJECT),
      call -> call.handler(call.response()::end));
    serve(server, "Null", call -> call.response().format(WireFormat.JSON).end(Buffer.buffer("null")));
    assertStatus(GrpcStatus.INTERNAL, call(client, "Json").compose(request -> request.format(WireFormat.JSON).send(Buffer.buffer("null")))
      .compose(GrpcClientResponse::last));
    assertFails(GrpcStatus.CANCELLED, client.request(ServiceMethod.client(ECHO, "Null", GrpcMessageEncoder.JSON_OBJECT,
      GrpcMessageDecoder.JSON_OBJECT)).compose(request -> {
        request.response().onSuccess(response -> response.handler(message -> {}));
        return request.send(new JsonObject());
      }).compose(GrpcClientResponse::end));
    assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
  }
}
