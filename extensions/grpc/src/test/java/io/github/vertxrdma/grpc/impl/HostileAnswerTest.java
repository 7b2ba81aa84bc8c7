package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServerOptions;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.grpc.Nodes;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile server: a message beyond a limit ends its call, an invalid frame its connection, and no other call is harmed. */
@Timeout(120)
class HostileAnswerTest extends Nodes {
  private static final CallFrame.Head HEAD = new CallFrame.Head(0, false, MultiMap.caseInsensitiveMultiMap());
  private static final MultiMap MUCH = MultiMap.caseInsensitiveMultiMap().add("key", "v".repeat(200));
  private static final CallFrame.Body BODY = new CallFrame.Body(Buffer.buffer("y"), false);

  private static final int MOST_CREDITS = 4096 + 4 * 65_536;
  private static final ServiceMethod<Buffer, Buffer> METHOD = ServiceMethod.client(ServiceName.create("a.Service"), "M",
    GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);

  private Node serving;
  private Rdma rdma;
  private volatile int maxCalls = 100;
  private final BlockingQueue<Liar> liars = new LinkedBlockingQueue<>();

  private record Liar(RdmaConnection connection, BlockingQueue<CallFrame> heard) {
    void say(CallFrame frame) {
      connection.write(new CallFrameWriter().bytes(frame));
    }

    CallFrame hear(FrameType type) throws Exception {
      for (;;) {
        CallFrame frame = heard.poll(20, TimeUnit.SECONDS);
        if (frame == null || frame.type() == type) {
          return frame;
        }
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    serving = node();
    await(serving.rdma().createServer(new RdmaServerOptions()).connectHandler(connection -> {
      Liar liar = new Liar(connection, new LinkedBlockingQueue<>());
      connection.handler(bytes -> liar.heard.add(new FrameReader(8192).frame(bytes, false)));
      liar.say(settings());
      liars.add(liar);
    }).listen("liar"));
    rdma = node().rdma();
  }

  private RdmaGrpcClient client() {
    return RdmaGrpcClient.create(rdma,
      new RdmaGrpcClientOptions().setServer("liar").setMaxMetadataSize(100).setMaxMessageSize(1_000)
        .setCallWindow(2));
  }

  private static final class Asked {
    final List<String> messages = new CopyOnWriteArrayList<>();
    final String message;
    final Promise<Void> said = Promise.promise();
    final Future<Void> end;

    Asked(RdmaGrpcClient client) {
      this(client, "x");
    }

    Asked(RdmaGrpcClient client, String message) {
      this.message = message;
      end = client.request(METHOD).compose(request -> {
        request.response().onSuccess(answer -> answer.handler(came -> messages.add(came.toString())));
        request.end(Buffer.buffer(message));
        said.complete();
        return request.response();
      }).compose(GrpcClientResponse::end);
    }

    void assertAnswered(String what) throws Exception {
      await(end);
      assertEquals(List.of("y"), messages, what);
    }

    void assertFails(GrpcStatus status, String what) {
      Throwable cause = assertThrows(ExecutionException.class, () -> await(end), what).getCause();
      assertEquals(status, assertInstanceOf(GrpcErrorException.class, cause, what).status(), what);
    }
  }

  private CallFrame settings() {
    return new CallFrame.Settings(CallLink.VERSIONS, 1 << 20, 8192, maxCalls, 4);
  }

  private CallFrame frame(FrameType type, int call, boolean first) {
    return switch (type) {
      case SETTINGS -> settings();
      case CALL -> new CallFrame.Call(call, 0, "a.Service/M", HEAD, BODY, false);
      case DATA -> new CallFrame.Data(call, first ? HEAD : null, BODY, false);
      case STATUS -> new CallFrame.Status(call, null, 0, "", null, null);
      case CANCEL -> new CallFrame.Cancel(call, 1);
      case CREDIT -> new CallFrame.Credit(call, 1);
      case GOAWAY -> new CallFrame.GoAway(1_000, "");
    };
  }

  private static CallFrame answer(int call) {
    return new CallFrame.Status(call, HEAD, 0, "", null, BODY);
  }

  @Test
  void eachFrameInEachStateOfAClient() throws Exception {
    for (CallState state : List.of(CallState.UNUSED, CallState.AWAITED, CallState.ANSWERED, CallState.DONE)) {
      for (FrameType type : FrameType.values()) {
        String pair = type + " where a call is " + state;
        RdmaGrpcClient client = client();
        new Asked(client);
        Liar liar = liars.take();
        int call = ((CallFrame.Call) liar.hear(FrameType.CALL)).call();
        Asked other = new Asked(client);
        int beside = ((CallFrame.Call) liar.hear(FrameType.CALL)).call();
        if (state == CallState.ANSWERED) {
          liar.say(new CallFrame.Data(call, HEAD, null, false));
        } else if (state == CallState.DONE) {
          liar.say(frame(FrameType.STATUS, call, true));
        }
        liar.say(frame(type, state == CallState.UNUSED ? 1_000 : call, state == CallState.AWAITED));
        if (type == FrameType.GOAWAY || type != FrameType.SETTINGS && state.frames.contains(type)) {
          liar.say(answer(beside));
          other.assertAnswered(pair);
        } else {
          String reason = ((CallFrame.GoAway) liar.hear(FrameType.GOAWAY)).reason();
          assertTrue(reason.contains(type + " is not allowed in state"), pair + ": " + reason);
          other.assertFails(GrpcStatus.UNAVAILABLE, pair);
        }
        await(client.close());
      }
    }
  }

  @Test
  void repeatedCallWaitsForTheLimitOfCalls() throws Exception {
    maxCalls = 1;
    RdmaGrpcClient client = client();
    Asked again = new Asked(client, "again");
    Liar first = liars.take();
    assertEquals(1, ((CallFrame.Call) first.hear(FrameType.CALL)).call());
    Asked waits = new Asked(client, "waits");
    await(waits.said.future());
    first.say(new CallFrame.GoAway(0, "not now"));
    Liar second = liars.take();
    for (Asked call : List.of(waits, again)) {
      CallFrame.Call frame = (CallFrame.Call) second.hear(FrameType.CALL);
      assertEquals(call.message, frame.body().bytes().toString());
      second.say(answer(frame.call()));
      call.assertAnswered(call.message);
    }
  }

  @Test
  void aClosedClientEndsCallsOnConnectionsThatItHasLeft() throws Exception {
    RdmaGrpcClient client = client();
    Asked asked = new Asked(client);
    Liar liar = liars.take();
    liar.hear(FrameType.CALL);
    liar.say(new CallFrame.GoAway(1, "not now"));
    Asked next = new Asked(client);
    Liar second = liars.take();
    second.say(answer(((CallFrame.Call) second.hear(FrameType.CALL)).call()));
    next.assertAnswered("a call after that");
    await(client.close());
    asked.assertFails(GrpcStatus.UNAVAILABLE, "the call that was under way");
  }

  @Test
  void reasonOfServerThatTakesNoMoreCallsIsPrintable() throws Exception {
    RdmaGrpcClient client = RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions().setServer("liar").setMaxAttempts(1));
    Asked asked = new Asked(client);
    Liar liar = liars.take();
    liar.hear(FrameType.CALL);
    liar.say(new CallFrame.GoAway(0, "forged \u001b[2J\n\u202e"));
    String words = assertThrows(ExecutionException.class, () -> await(asked.end)).getCause().getCause().getMessage();
    assertTrue(words.contains("forged") && PeerText.isPrintable(words), words);
    await(client.close());
  }

  @Test
  void anAnswerThatCannotBeReadEndsItsCallAlone() throws Exception {
    RdmaGrpcClient client = client();
    Asked other = new Asked(client);
    Liar liar = liars.take();
    int beside = ((CallFrame.Call) liar.hear(FrameType.CALL)).call();
    CallFrame.Head much = new CallFrame.Head(0, false, MUCH);
    CallFrame.Body large = new CallFrame.Body(Buffer.buffer(new byte[1_001]), false);
    Map<String, IntFunction<CallFrame>> answers = Map.of(
      "metadata", call -> new CallFrame.Data(call, much, BODY, false),
      "metadata with the status", call -> new CallFrame.Status(call, much, 0, "", null, BODY),
      "trailers", call -> new CallFrame.Status(call, HEAD, 0, "", MUCH, BODY),
      "trailers alone", call -> new CallFrame.Status(call, null, 5, "", MUCH, null),
      "a message", call -> new CallFrame.Data(call, HEAD, large, false),
      "a message with the status", call -> new CallFrame.Status(call, HEAD, 0, "", null, large));
    for (Map.Entry<String, IntFunction<CallFrame>> answer : answers.entrySet()) {
      Asked asked = new Asked(client);
      liar.say(answer.getValue().apply(((CallFrame.Call) liar.hear(FrameType.CALL)).call()));
      asked.assertFails(GrpcStatus.RESOURCE_EXHAUSTED, answer.getKey());
      assertEquals(GrpcStatus.RESOURCE_EXHAUSTED.code, ((CallFrame.Cancel) liar.hear(FrameType.CANCEL)).code(), answer.getKey());
    }
    Asked encoded = new Asked(client);
    liar.say(
      new CallFrame.Data(((CallFrame.Call) liar.hear(FrameType.CALL)).call(), new CallFrame.Head(7, false, HEAD.metadata()), BODY, false));
    encoded.assertFails(GrpcStatus.INTERNAL, "an unknown encoding");
    Asked packed = new Asked(client);
    liar.say(new CallFrame.Data(((CallFrame.Call) liar.hear(FrameType.CALL)).call(), new CallFrame.Head(1, false, HEAD.metadata()),
      new CallFrame.Body(Buffer.buffer("no gzip"), true), false));
    packed.assertFails(GrpcStatus.CANCELLED, "bytes that are no gzip");
    liar.say(answer(beside));
    other.assertAnswered("the call beside them");
  }

  @Test
  void theDeadlineHoldsWhereAServerDoesNotGreet() throws Exception {
    await(serving.rdma().createServer(new RdmaServerOptions()).connectHandler(connection -> {}).listen("silent"));
    RdmaGrpcClient client = RdmaGrpcClient.create(rdma,
      new RdmaGrpcClientOptions().setServer("silent").setTimeout(Duration.ofMillis(200)));
    new Asked(client).assertFails(GrpcStatus.DEADLINE_EXCEEDED, "a call that waits for the greeting");
  }

  @Test
  void aCallThatItsServerCancelsHasFailed() throws Exception {
    RdmaGrpcClient client = client();
    Asked other = new Asked(client);
    Liar liar = liars.take();
    int beside = ((CallFrame.Call) liar.hear(FrameType.CALL)).call();
    for (int code : new int[] {0, 99}) {
      Asked asked = new Asked(client);
      liar.say(new CallFrame.Cancel(((CallFrame.Call) liar.hear(FrameType.CALL)).call(), code));
      asked.assertFails(GrpcStatus.UNKNOWN, "cancelled with code " + code);
    }
    liar.say(answer(beside));
    other.assertAnswered("the call beside them");
  }

  /** A server may permit more calls than a client keeps credits for. */
  @Test
  void aServerThatTakesNoCreditsEndsItsConnection() throws Exception {
    maxCalls = Integer.MAX_VALUE;
    RdmaGrpcClient client = client();
    Future<Void> end = client.request(METHOD).compose(request -> {
      request.end(Buffer.buffer("x"));
      return request.response();
    }).compose(response -> response.handler(message -> {}).end());
    Liar liar = liars.take();
    int call = ((CallFrame.Call) liar.hear(FrameType.CALL)).call();
    liar.connection.pause();
    for (int i = 0; i < MOST_CREDITS + 30_000; i++) {
      liar.say(new CallFrame.Data(call, i == 0 ? HEAD : null, BODY, false));
    }
    String words = assertThrows(ExecutionException.class, () -> await(end)).getCause().getCause().getMessage();
    assertTrue(words.contains("does not read answers, " + (MOST_CREDITS + 1) + " are waiting"), words);
  }
}
