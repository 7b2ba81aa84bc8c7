package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.UninterpretedOption.NamePart;
import io.github.vertxrdma.grpc.interop.SimpleRequest;
import io.github.vertxrdma.grpc.interop.SimpleResponse;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.WireFormat;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Long messages of protobuf are written once, to the memory from which the fabric sends them. They are parsed in the fabric's memory, which
 * is always released. Other long messages are allocated once by their reader.
 */
@Timeout(180)
class LongMessagesTest extends Nodes {
  private static final int SIZE = 1 << 20;
  /** More calls than registered memory has room for. */
  private static final int CALLS = 40;
  private static final GrpcMessageDecoder<SimpleRequest> REQUESTS = GrpcMessageDecoder.decoder(SimpleRequest.newBuilder());
  private static final GrpcMessageDecoder<SimpleResponse> ANSWERS = GrpcMessageDecoder.decoder(SimpleResponse.newBuilder());

  /** Threads that serve and that receive answers. */
  private final AtomicLong serving = new AtomicLong();
  private final AtomicLong calling = new AtomicLong();
  private Node[] nodes;
  private RdmaGrpcServer server;
  private RdmaGrpcClient client;

  @BeforeEach
  void start() throws Exception {
    nodes = new Node[] {node(), node()};
    server = server(nodes[0], new RdmaGrpcServerOptions());
    client = client(nodes[1], new RdmaGrpcClientOptions());
    serve("Take", REQUESTS, (call, done) -> call.handler(message -> {
      serving.set(Thread.currentThread().threadId());
      done.accept(message, null);
    }));
    server.callHandler(ServiceMethod.server(ECHO, "Give", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> call.handler(seed -> call.response().end(answer(seed.getInt(0)))));
    serve(server, "Echo", call -> {
      serving.set(Thread.currentThread().threadId());
      call.handler(call.response()::end);
    });
    await(server.listen(NAME));
  }

  private static ByteString bytes(int seed, int size) {
    return ByteString.copyFrom(Pattern.bytes(seed, size));
  }

  private static SimpleRequest message(int seed) {
    return SimpleRequest.newBuilder().setPayload(bytes(seed, SIZE)).build();
  }

  private static SimpleResponse answer(int seed) {
    return SimpleResponse.newBuilder().setPayload(bytes(seed, SIZE)).build();
  }

  private <T> void serve(String method, GrpcMessageDecoder<T> decoder,
    BiConsumer<GrpcServerRequest<T, Buffer>, BiConsumer<SimpleRequest, Throwable>> read) {
    server.callHandler(ServiceMethod.server(ECHO, method, GrpcMessageEncoder.IDENTITY, decoder),
      call -> read.accept(call, (message, cause) -> {
        if (cause != null) {
          call.response().fail(cause);
        } else {
          call.response().end(Buffer.buffer().appendInt(message.getPayload().hashCode()));
        }
      }));
  }

  private static <T> ServiceMethod<Buffer, T> sending(String method, GrpcMessageEncoder<T> encoder) {
    return ServiceMethod.client(ECHO, method, encoder, GrpcMessageDecoder.IDENTITY);
  }

  private Future<Buffer> send(String method, SimpleRequest message) {
    return send(method, GrpcMessageEncoder.encoder(), "identity", message);
  }

  private <T> Future<Buffer> send(String method, GrpcMessageEncoder<T> encoder, String encoding, T message) {
    return client.request(sending(method, encoder)).compose(request -> request.encoding(encoding).send(message))
      .compose(GrpcClientResponse::last).onSuccess(v -> calling.set(Thread.currentThread().threadId()));
  }

  private void assertTaken(String method, int seed) throws Exception {
    SimpleRequest message = message(seed);
    assertEquals(message.getPayload().hashCode(), await(send(method, message)).getInt(0), method);
  }

  private static int inUse(Node node) {
    try {
      return await(node.rdma().statistics()).devices().stream().mapToInt(DeviceStatistics::zeroCopyMessages).sum();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void untilGivenBack(String after) {
    until("the memory is given back after " + after, () -> inUse(nodes[0]) == 0 && inUse(nodes[1]) == 0);
  }

  private static long allocated(AtomicLong thread, CheckedRunnable call) throws Exception {
    long before = Allocated.by(thread.get());
    call.run();
    return Allocated.by(thread.get()) - before;
  }

  private interface CheckedRunnable {
    void run() throws Exception;
  }

  /** Makes calls until memory is registered, which the first long message requests. */
  private static void registered(AtomicLong thread, long most, CheckedRunnable call) throws Exception {
    call.run();
    until("messages use registered memory", () -> {
      try {
        return allocated(thread, call) < most;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
  }

  private static void registered(AtomicLong thread, CheckedRunnable call) throws Exception {
    registered(thread, SIZE * 3 / 2, call);
  }

  private void assertAllocates(AtomicLong thread, long most, CheckedRunnable call) throws Exception {
    long each = allocated(thread, () -> {
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
    }) / CALLS;
    assertTrue(each < most, each + " bytes for a message of " + SIZE);
    untilGivenBack("all calls");
  }

  /** A loop that sends the message of a call does not allocate it, once memory is registered. */
  private void assertWrittenOnce(AtomicLong thread, CheckedRunnable call) throws Exception {
    registered(thread, SIZE / 2, call);
    assertAllocates(thread, SIZE / 4, call);
  }

  @Tag("alone")
  @Test
  void aServerAllocatesWhatItParsesAlone() throws Exception {
    SimpleRequest message = message(1);
    CheckedRunnable call = () -> await(send("Take", message));
    registered(serving, call);
    assertAllocates(serving, SIZE * 5 / 4, call);
  }

  /** Its decoder fails for an empty message. */
  @Test
  void aMessageWithRequiredFieldsIsParsedInPlaceToo() throws Exception {
    NamePart name = NamePart.newBuilder().setNamePart("x".repeat(SIZE)).setIsExtension(true).build();
    GrpcMessageDecoder<NamePart> names = GrpcMessageDecoder.decoder(NamePart.newBuilder());
    server.callHandler(ServiceMethod.server(ECHO, "Name", GrpcMessageEncoder.IDENTITY, names), call -> call.handler(message -> {
      serving.set(Thread.currentThread().threadId());
      call.response().end(Buffer.buffer().appendInt(message.getNamePartBytes().hashCode()));
    }));
    CheckedRunnable call = () -> assertEquals(name.getNamePartBytes().hashCode(),
      await(send("Name", GrpcMessageEncoder.encoder(), "identity", name)).getInt(0));
    registered(serving, call);
    untilGivenBack("all calls");

    NamePart lacking = name.toBuilder().clearIsExtension().buildPartial();
    assertStatus(GrpcStatus.INTERNAL, send("Name", GrpcMessageEncoder.encoder(), "identity", lacking));
    untilGivenBack("what lacks a field");
  }

  @Tag("alone")
  @Test
  void aClientAllocatesWhatItParsesAlone() throws Exception {
    CheckedRunnable call = () -> assertEquals(SIZE, await(ask(7)).getPayload().size());
    registered(calling, call);
    assertAllocates(calling, SIZE * 5 / 4, call);
  }

  /** The message's bytes belong to its handler until that returns. */
  @Test
  void callMayEndInsideItsMessageHandler() throws Exception {
    registered(calling, () -> await(ask(1)));
    Promise<SimpleResponse> read = Promise.promise();
    GrpcClientRequest<Buffer, SimpleResponse> request = await(give());
    request.response().onSuccess(response -> response.messageHandler(message -> {
      request.cancel();
      try {
        read.complete(ANSWERS.decode(GrpcMessage.message("identity", message.payload())));
      } catch (RuntimeException e) {
        read.fail(e);
      }
    }));
    request.end(Buffer.buffer().appendInt(2));
    assertEquals(bytes(2, SIZE), await(read.future()).getPayload());
    untilGivenBack("a call that ended amid a message");
  }

  private Future<GrpcClientRequest<Buffer, SimpleResponse>> give() {
    return client.request(ServiceMethod.client(ECHO, "Give", GrpcMessageEncoder.IDENTITY, ANSWERS));
  }

  private Future<SimpleResponse> ask(int seed) {
    return give().compose(request -> request.send(Buffer.buffer().appendInt(seed))).compose(GrpcClientResponse::last)
      .onSuccess(v -> calling.set(Thread.currentThread().threadId()));
  }

  @Test
  void messagesReadInAnyWayAreReleased() throws Exception {
    CheckedRunnable take = () -> assertTaken("Take", 1);
    registered(serving, take);
    Map<String, BiConsumer<GrpcServerRequest<SimpleRequest, Buffer>, BiConsumer<SimpleRequest, Throwable>>> ways = new LinkedHashMap<>();
    ways.put("Last", (call, done) -> call.last().onComplete(done::accept));
    ways.put("LastTwice", (call, done) -> call.last().compose(v -> call.last()).onComplete(done::accept));
    ways.put("Bytes", (call, done) -> call.messageHandler(message -> done.accept(REQUESTS.decode(message), null)));
    ways.put("BytesLater",
      (call, done) -> call.messageHandler(message -> nodes[0].vertx().runOnContext(v -> done.accept(REQUESTS.decode(message),
        null))));
    ways.put("LastThenBytes", (call, done) -> {
      GrpcMessage[] kept = new GrpcMessage[1];
      call.messageHandler(message -> kept[0] = message);
      call.last().onComplete((v, cause) -> done.accept(cause == null ? REQUESTS.decode(kept[0]) : null, cause));
    });
    ways.put("Paused", (call, done) -> {
      call.pause().handler(message -> done.accept(message, null));
      nodes[0].vertx().runOnContext(v -> call.resume());
    });
    ways.forEach((way, read) -> serve(way, REQUESTS, read));
    serve("Other", new GrpcMessageDecoder<GrpcMessage>() {
      @Override
      public GrpcMessage decode(GrpcMessage message) {
        return message;
      }

      @Override
      public boolean accepts(WireFormat format) {
        return true;
      }
    }, (call, done) -> call.last().onSuccess(kept -> nodes[0].vertx().runOnContext(v -> done.accept(REQUESTS.decode(kept), null))));
    ways.put("Other", null);
    int seed = 0;
    for (String way : ways.keySet()) {
      for (int i = 0; i < 3; i++) {
        assertTaken(way, ++seed);
      }
      untilGivenBack(way);
    }
    // The whole memory is free again.
    assertTrue(allocated(serving, take) < SIZE * 3 / 2);
  }

  @Test
  void unreadMessagesAreReleased() throws Exception {
    registered(serving, () -> assertTaken("Take", 1));
    serve("Unread", REQUESTS, (call, done) -> {
      call.pause();
      call.response().end(Buffer.buffer());
    });
    await(send("Unread", message(2)));
    untilGivenBack("a call that is answered unread");

    serve("Held", REQUESTS, (call, done) -> call.pause());
    GrpcClientRequest<SimpleRequest, Buffer> held = await(client.request(sending("Held",
      GrpcMessageEncoder.<SimpleRequest>encoder())));
    held.write(message(3));
    held.write(message(4));
    untilGivenBack("messages that wait for their reader");
    held.cancel();

    byte[] nonsense = new byte[SIZE];
    Arrays.fill(nonsense, (byte) 0xff);
    assertStatus(GrpcStatus.INTERNAL, unary(client, "Take", Buffer.buffer(nonsense)));
    untilGivenBack("what cannot be parsed");
  }

  @Tag("alone")
  @Test
  void aRequestOfProtobufIsWrittenOnce() throws Exception {
    SimpleRequest message = message(1);
    assertWrittenOnce(calling, () -> assertEquals(message.getPayload().hashCode(), await(send("Take", message)).getInt(0)));
  }

  @Tag("alone")
  @Test
  void anAnswerOfProtobufIsWrittenOnce() throws Exception {
    SimpleResponse answer = answer(1);
    server.callHandler(ServiceMethod.server(ECHO, "Same", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> {
        serving.set(Thread.currentThread().threadId());
        call.handler(message -> call.response().end(answer));
      });
    assertWrittenOnce(serving,
      () -> assertEquals(answer, SimpleResponse.parseFrom(await(unary(client, "Same", Buffer.buffer("x"))).getBytes())));
  }

  @Test
  void messagesOfAllSizesAndEncodings() throws Exception {
    for (int size : new int[] {0, 1, 64, 200, 256, 16_300, 16_384, 100_000, SIZE, 4 * SIZE - 2_000}) {
      ByteString bytes = bytes(size, size);
      Buffer plain = Buffer.buffer(bytes.toByteArray());
      SimpleRequest message = SimpleRequest.newBuilder().setPayload(bytes).build();
      for (String encoding : new String[] {"identity", "gzip"}) {
        assertEquals(plain, await(send("Echo", GrpcMessageEncoder.IDENTITY, encoding, plain)));
        assertEquals(message, SimpleRequest.parseFrom(await(send("Echo", GrpcMessageEncoder.encoder(), encoding, message)).getBytes()));
      }
    }
    Buffer longest = Buffer.buffer(new byte[4 * SIZE]);
    assertEquals(longest, await(unary(client, "Echo", longest)));
  }

  /** A frame fills its memory exactly. */
  @Test
  void longHeadersGoWithLongMessages() throws Exception {
    String text = "t".repeat(8_000);
    SimpleResponse answer = SimpleResponse.newBuilder().setPayload(bytes(1, 20_000)).build();
    server.callHandler(ServiceMethod.server(ECHO, "Headed", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> call.handler(message -> {
        call.response().headers().set("key", text);
        call.response().end(answer);
      }));
    SimpleRequest message = SimpleRequest.newBuilder().setPayload(bytes(2, 20_000)).build();
    for (int i = 0; i < 10; i++) {
      Future<Buffer> echoed = client.request(sending("Echo", GrpcMessageEncoder.<SimpleRequest>encoder())).compose(request -> {
        request.headers().set("key", text);
        return request.send(message);
      }).compose(GrpcClientResponse::last);
      assertEquals(message, SimpleRequest.parseFrom(await(echoed).getBytes()));
      GrpcClientResponse<Buffer, Buffer> headed = await(call(client, "Headed").compose(request -> request.send(Buffer.buffer("x"))));
      assertEquals(text, headed.headers().get("key"));
      assertEquals(answer, SimpleResponse.parseFrom(await(headed.last()).getBytes()));
    }
    untilGivenBack("all calls");
  }

  // Only the default compiler removes temporary objects.
  @Tag("full")
  @Tag("alone")
  @Test
  void echoedMessageIsAllocatedOnce() throws Exception {
    Buffer message = Buffer.buffer(bytes(1, SIZE).toByteArray());
    CheckedRunnable call = () -> assertEquals(message, await(unary(client, "Echo", message)));
    call.run();
    assertAllocates(serving, SIZE * 3 / 2, call);
  }

  /** A server with too many bytes of answers in flight does not read; its client continues to read. */
  @Test
  void manyAtATimeArriveBothWays() throws Exception {
    List<Buffer> messages = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      Buffer bytes = Buffer.buffer(bytes(i, SIZE / 24 * (i % 6 + 1) + i).toByteArray());
      messages.add(i % 2 == 0 ? bytes : bytes.slice(1, bytes.length()));
    }
    List<Future<Buffer>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(unary(client, "Echo", messages.get(i % messages.size())));
    }
    for (int i = 0; i < answers.size(); i++) {
      assertEquals(messages.get(i % messages.size()), await(answers.get(i)));
    }
  }
}
