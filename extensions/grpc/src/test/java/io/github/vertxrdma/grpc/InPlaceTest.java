package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.UninterpretedOption.NamePart;
import io.github.vertxrdma.grpc.interop.SimpleRequest;
import io.github.vertxrdma.grpc.interop.SimpleResponse;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long messages of protobuf are parsed in the fabric's memory, which is always released. */
@Timeout(180)
class InPlaceTest extends Nodes {
  private static final int SIZE = 1 << 20;
  /** More calls than registered memory has room for. */
  private static final int CALLS = 40;
  private static final GrpcMessageDecoder<SimpleRequest> REQUESTS = GrpcMessageDecoder.decoder(SimpleRequest.newBuilder());
  private static final GrpcMessageDecoder<SimpleResponse> ANSWERS = GrpcMessageDecoder.decoder(SimpleResponse.newBuilder());

  private final AtomicLong thread = new AtomicLong();
  private Node serving;
  private Node calling;
  private RdmaGrpcServer server;
  private RdmaGrpcClient client;

  @BeforeEach
  void start() throws Exception {
    serving = node();
    calling = node();
    server = server(serving, new RdmaGrpcServerOptions());
    client = client(calling, new RdmaGrpcClientOptions());
    serve("Take", REQUESTS, (call, done) -> call.handler(message -> {
      thread.set(Thread.currentThread().threadId());
      done.accept(message, null);
    }));
    server.callHandler(ServiceMethod.server(ECHO, "Give", GrpcMessageEncoder.<SimpleResponse>encoder(), GrpcMessageDecoder.IDENTITY),
      call -> call.handler(seed -> call.response().end(SimpleResponse.newBuilder().setPayload(bytes(seed.getInt(0))).build())));
    await(server.listen(NAME));
  }

  private static ByteString bytes(int seed) {
    byte[] bytes = new byte[SIZE];
    new Random(seed).nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static SimpleRequest message(int seed) {
    return SimpleRequest.newBuilder().setPayload(bytes(seed)).build();
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

  private Future<GrpcClientRequest<SimpleRequest, Buffer>> begin(String method) {
    return client.request(ServiceMethod.client(ECHO, method, GrpcMessageEncoder.<SimpleRequest>encoder(), GrpcMessageDecoder.IDENTITY));
  }

  private Future<Buffer> send(String method, SimpleRequest message) {
    return begin(method).compose(request -> request.send(message)).compose(GrpcClientResponse::last);
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
    until("the memory is given back after " + after, () -> inUse(serving) == 0 && inUse(calling) == 0);
  }

  private long allocated(AtomicLong by, CheckedRunnable call) throws Exception {
    long before = Allocated.by(by.get());
    call.run();
    return Allocated.by(by.get()) - before;
  }

  private interface CheckedRunnable {
    void run() throws Exception;
  }

  /** Makes calls until memory is registered, which the first long message requests. */
  private void registered(AtomicLong by, CheckedRunnable call) throws Exception {
    call.run();
    until("they come in registered memory", () -> {
      try {
        return allocated(by, call) < SIZE * 3 / 2;
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    });
  }

  @Test
  @Tag("alone")
  void aServerAllocatesWhatItParsesAlone() throws Exception {
    SimpleRequest message = message(1);
    CheckedRunnable call = () -> await(send("Take", message));
    registered(thread, call);
    long each = allocated(thread, () -> {
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
    }) / CALLS;
    assertTrue(each < SIZE * 5 / 4, each + " bytes for a message of " + SIZE);
    untilGivenBack("all calls");
  }

  /** Its decoder fails for an empty message. */
  @Test
  void aMessageWithRequiredFieldsIsParsedInPlaceToo() throws Exception {
    NamePart name = NamePart.newBuilder().setNamePart("x".repeat(SIZE)).setIsExtension(true).build();
    GrpcMessageDecoder<NamePart> names = GrpcMessageDecoder.decoder(NamePart.newBuilder());
    server.callHandler(ServiceMethod.server(ECHO, "Name", GrpcMessageEncoder.IDENTITY, names), call -> call.handler(message -> {
      thread.set(Thread.currentThread().threadId());
      call.response().end(Buffer.buffer().appendInt(message.getNamePartBytes().hashCode()));
    }));
    CheckedRunnable call = () -> assertEquals(name.getNamePartBytes().hashCode(), await(client.request(ServiceMethod.client(ECHO, "Name",
      GrpcMessageEncoder.<NamePart>encoder(), GrpcMessageDecoder.IDENTITY)).compose(request -> request.send(name))
      .compose(GrpcClientResponse::last))
      .getInt(0));
    registered(thread, call);
    untilGivenBack("all calls");

    NamePart lacking = name.toBuilder().clearIsExtension().buildPartial();
    assertStatus(GrpcStatus.INTERNAL, client.request(ServiceMethod.client(ECHO, "Name", GrpcMessageEncoder.<NamePart>encoder(),
      GrpcMessageDecoder.IDENTITY)).compose(request -> request.send(lacking)).compose(GrpcClientResponse::last));
    untilGivenBack("what lacks a field");
  }

  @Test
  @Tag("alone")
  void aClientAllocatesWhatItParsesAlone() throws Exception {
    AtomicLong by = new AtomicLong();
    CheckedRunnable call = () -> {
      SimpleResponse answer = await(ask(7).compose(GrpcClientResponse::last).onSuccess(v -> by.set(Thread.currentThread().threadId())));
      assertEquals(SIZE, answer.getPayload().size());
    };
    registered(by, call);
    long each = allocated(by, () -> {
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
    }) / CALLS;
    assertTrue(each < SIZE * 5 / 4, each + " bytes for an answer of " + SIZE);
    untilGivenBack("all calls");
  }

  /** The message's bytes belong to its handler until that returns. */
  @Test
  void callMayEndInsideItsMessageHandler() throws Exception {
    AtomicLong by = new AtomicLong();
    registered(by, () -> await(ask(1).compose(GrpcClientResponse::last).onSuccess(v -> by.set(Thread.currentThread().threadId()))));
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
    assertEquals(bytes(2), await(read.future()).getPayload());
    untilGivenBack("a call that ended amid a message");
  }

  private Future<GrpcClientRequest<Buffer, SimpleResponse>> give() {
    return client.request(ServiceMethod.client(ECHO, "Give", GrpcMessageEncoder.IDENTITY, ANSWERS));
  }

  private Future<GrpcClientResponse<Buffer, SimpleResponse>> ask(int seed) {
    return give().compose(request -> request.send(Buffer.buffer().appendInt(seed)));
  }

  @Test
  void messagesReadInAnyWayAreReleased() throws Exception {
    CheckedRunnable take = () -> assertTaken("Take", 1);
    registered(thread, take);
    Map<String, BiConsumer<GrpcServerRequest<SimpleRequest, Buffer>, BiConsumer<SimpleRequest, Throwable>>> ways = new LinkedHashMap<>();
    ways.put("Last", (call, done) -> call.last().onComplete(done::accept));
    ways.put("LastTwice", (call, done) -> call.last().compose(v -> call.last()).onComplete(done::accept));
    ways.put("Bytes", (call, done) -> call.messageHandler(message -> done.accept(REQUESTS.decode(message), null)));
    ways.put("BytesLater",
      (call, done) -> call.messageHandler(message -> serving.vertx().runOnContext(v -> done.accept(REQUESTS.decode(message),
        null))));
    ways.put("LastThenBytes", (call, done) -> {
      GrpcMessage[] kept = new GrpcMessage[1];
      call.messageHandler(message -> kept[0] = message);
      call.last().onComplete((v, cause) -> done.accept(cause == null ? REQUESTS.decode(kept[0]) : null, cause));
    });
    ways.put("Paused", (call, done) -> {
      call.pause().handler(message -> done.accept(message, null));
      serving.vertx().runOnContext(v -> call.resume());
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
    }, (call, done) -> call.last().onSuccess(kept -> serving.vertx().runOnContext(v -> done.accept(REQUESTS.decode(kept), null))));
    ways.put("Other", null);
    int seed = 0;
    for (String way : ways.keySet()) {
      for (int i = 0; i < 3; i++) {
        assertTaken(way, ++seed);
      }
      untilGivenBack(way);
    }
    // The whole memory is free again.
    registered(thread, take);
  }

  @Test
  void unreadMessagesAreReleased() throws Exception {
    registered(thread, () -> assertTaken("Take", 1));
    serve("Unread", REQUESTS, (call, done) -> {
      call.pause();
      call.response().end(Buffer.buffer());
    });
    await(send("Unread", message(2)));
    untilGivenBack("a call that is answered unread");

    serve("Held", REQUESTS, (call, done) -> call.pause());
    GrpcClientRequest<SimpleRequest, Buffer> held = await(begin("Held"));
    held.write(message(3));
    held.write(message(4));
    untilGivenBack("messages that wait for their reader");
    held.cancel();

    byte[] nonsense = new byte[SIZE];
    Arrays.fill(nonsense, (byte) 0xff);
    assertStatus(GrpcStatus.INTERNAL, unary(client, "Take", Buffer.buffer(nonsense)));
    untilGivenBack("what cannot be parsed");
  }
}
