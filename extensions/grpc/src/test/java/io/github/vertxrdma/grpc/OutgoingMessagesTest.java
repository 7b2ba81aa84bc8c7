package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.github.vertxrdma.grpc.interop.SimpleRequest;
import io.github.vertxrdma.grpc.interop.SimpleResponse;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long messages of protobuf are written once: to the memory from which the fabric sends them. */
@Timeout(180)
class OutgoingMessagesTest extends Nodes {
  private static final int SIZE = 1 << 20;
  /** More calls than registered memory has room for. */
  private static final int CALLS = 40;
  private static final byte[] BYTES = new byte[SIZE];

  private final AtomicLong serving = new AtomicLong();
  private final AtomicLong calling = new AtomicLong();
  private Node[] nodes;
  private RdmaGrpcServer server;
  private RdmaGrpcClient client;

  static {
    new Random(1).nextBytes(BYTES);
  }

  @BeforeEach
  void start() throws Exception {
    nodes = new Node[] {node(), node()};
    server = server(nodes[0], new RdmaGrpcServerOptions());
    client = client(nodes[1], new RdmaGrpcClientOptions());
    serve(server, "Echo", call -> call.handler(call.response()::end));
    server.callHandler(
      ServiceMethod.server(ECHO, "Take", GrpcMessageEncoder.IDENTITY,
        GrpcMessageDecoder.<SimpleRequest>decoder(SimpleRequest.newBuilder())),
      call -> call.handler(message -> call.response().end(Buffer.buffer().appendInt(message.getPayload().hashCode()))));
    await(server.listen(NAME));
  }

  private <T> Future<Buffer> send(String method, GrpcMessageEncoder<T> encoder, String encoding, T message) {
    return client.request(ServiceMethod.client(ECHO, method, encoder, GrpcMessageDecoder.IDENTITY))
      .compose(request -> request.encoding(encoding).send(message)).compose(GrpcClientResponse::last)
      .onSuccess(v -> calling.set(Thread.currentThread().threadId()));
  }

  private void untilGivenBack() {
    until("the memory is given back", () -> {
      int inUse = 0;
      for (Node node : nodes) {
        try {
          inUse += await(node.rdma().statistics()).devices().stream().mapToInt(DeviceStatistics::zeroCopyMessages).sum();
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
      return inUse == 0;
    });
  }

  private interface CheckedRunnable {
    void run() throws Exception;
  }

  /** A loop that sends the message of a call does not allocate it, once memory is registered. */
  private void assertWrittenOnce(AtomicLong loop, CheckedRunnable call) throws Exception {
    call.run();
    until("it is written to registered memory", () -> {
      try {
        return allocated(loop, call) < SIZE / 2;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
    long each = allocated(loop, () -> {
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
    }) / CALLS;
    assertTrue(each < SIZE / 4, each + " bytes for a message of " + SIZE);
    untilGivenBack();
  }

  private static long allocated(AtomicLong loop, CheckedRunnable call) throws Exception {
    long before = Allocated.by(loop.get());
    call.run();
    return Allocated.by(loop.get()) - before;
  }

  @Test
  @Tag("alone")
  void aRequestOfProtobufIsWrittenOnce() throws Exception {
    SimpleRequest message = SimpleRequest.newBuilder().setPayload(ByteString.copyFrom(BYTES)).build();
    assertWrittenOnce(calling, () -> assertEquals(message.getPayload().hashCode(),
      await(send("Take", GrpcMessageEncoder.encoder(), "identity", message)).getInt(0)));
  }

  @Test
  @Tag("alone")
  void anAnswerOfProtobufIsWrittenOnce() throws Exception {
    SimpleResponse answer = SimpleResponse.newBuilder().setPayload(ByteString.copyFrom(BYTES)).build();
    server.callHandler(ServiceMethod.server(ECHO, "Give", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> {
        serving.set(Thread.currentThread().threadId());
        call.handler(message -> call.response().end(answer));
      });
    assertWrittenOnce(serving,
      () -> assertEquals(answer, SimpleResponse.parseFrom(await(unary(client, "Give", Buffer.buffer("x"))).getBytes())));
  }

  @Test
  void messagesOfAllSizesAndEncodings() throws Exception {
    for (int size : new int[] {0, 1, 64, 200, 256, 16_300, 16_384, 100_000, SIZE}) {
      Buffer bytes = Buffer.buffer(BYTES).slice(0, size);
      for (String encoding : new String[] {"identity", "gzip"}) {
        assertEquals(bytes, await(send("Echo", GrpcMessageEncoder.IDENTITY, encoding, bytes)));
        SimpleRequest message = SimpleRequest.newBuilder().setPayload(ByteString.copyFrom(BYTES, 0, size)).build();
        assertEquals(message, SimpleRequest.parseFrom(await(send("Echo", GrpcMessageEncoder.encoder(), encoding, message)).getBytes()));
      }
    }
  }

  /** A frame fills its memory exactly. */
  @Test
  void longHeadersGoWithLongMessages() throws Exception {
    String text = "t".repeat(8_000);
    SimpleResponse answer = SimpleResponse.newBuilder().setPayload(ByteString.copyFrom(BYTES, 0, 20_000)).build();
    server.callHandler(ServiceMethod.server(ECHO, "Headed", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> call.handler(message -> {
        call.response().headers().set("key", text);
        call.response().end(answer);
      }));
    SimpleRequest message = SimpleRequest.newBuilder().setPayload(ByteString.copyFrom(BYTES, 0, 20_000)).build();
    ServiceMethod<Buffer, SimpleRequest> echo = ServiceMethod.client(ECHO, "Echo", GrpcMessageEncoder.encoder(),
      GrpcMessageDecoder.IDENTITY);
    for (int i = 0; i < 10; i++) {
      Future<Buffer> echoed = client.request(echo).compose(request -> {
        request.headers().set("key", text);
        return request.send(message);
      }).compose(GrpcClientResponse::last);
      assertEquals(message, SimpleRequest.parseFrom(await(echoed).getBytes()));
      GrpcClientResponse<Buffer, Buffer> headed = await(call(client, "Headed").compose(request -> request.send(Buffer.buffer("x"))));
      assertEquals(text, headed.headers().get("key"));
      assertEquals(answer, SimpleResponse.parseFrom(await(headed.last()).getBytes()));
    }
    untilGivenBack();
  }
}
