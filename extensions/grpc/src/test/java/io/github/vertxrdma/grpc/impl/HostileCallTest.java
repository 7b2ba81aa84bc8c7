package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.grpc.Nodes;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hostile client loses only its own connection: each frame in each state of a server, and invalid bytes. */
@Timeout(120)
class HostileCallTest extends Nodes {
  private static final CallFrame.Head HEAD = new CallFrame.Head(0, false, MultiMap.caseInsensitiveMultiMap());
  private static final Buffer LARGE = Buffer.buffer(new byte[100 << 10]);
  private static final CallFrame.Settings SETTINGS = new CallFrame.Settings(CallLink.VERSIONS, 1 << 20, 8192, 0, 4);

  private Vertx serving;
  private Vertx calling;
  private Rdma rdma;
  private RdmaGrpcServer server;
  private final AtomicInteger held = new AtomicInteger();
  /** Large answers that the fabric has not taken, and their maximum. */
  private final AtomicInteger untaken = new AtomicInteger();
  private final AtomicInteger mostUntaken = new AtomicInteger();

  @BeforeEach
  void start() throws Exception {
    Node near = node();
    serving = near.vertx();
    server = RdmaGrpcServer.create(near.rdma(), new RdmaGrpcServerOptions().setMaxMetadataSize(100)
      .setCallWindow(2).setMaxCalls(3));
    server.callHandler(this::serve);
    await(server.listen("victim"));
    Node far = node();
    calling = far.vertx();
    rdma = far.rdma();
  }

  private void serve(GrpcServerRequest<Buffer, Buffer> call) {
    switch (call.methodName()) {
      case "Echo" -> call.handler(message -> call.response().end(message));
      case "Large" -> {
        mostUntaken.accumulateAndGet(untaken.incrementAndGet(), Math::max);
        call.response().end(LARGE).onComplete((v, cause) -> untaken.decrementAndGet());
      }
      default -> {
        held.incrementAndGet();
        call.pause();
      }
    }
  }

  private final class Liar {
    final RdmaConnection connection;
    final BlockingQueue<CallFrame> heard = new LinkedBlockingQueue<>();
    final Promise<Void> over = Promise.promise();

    Liar() throws Exception {
      this("victim");
    }

    Liar(String server) throws Exception {
      this(rdma, server);
    }

    Liar(Rdma by, String server) throws Exception {
      connection = await(by.connect(server).onSuccess(opened -> {
        opened.handler(bytes -> heard.add(new FrameReader(8192).frame(bytes, false)));
        opened.closeHandler(over::tryComplete);
      }));
    }

    Liar say(CallFrame frame) {
      connection.write(new CallFrameWriter().bytes(frame));
      return this;
    }

    Liar say(Buffer bytes) {
      connection.write(bytes);
      return this;
    }

    CallFrame hear(FrameType type) throws Exception {
      for (;;) {
        CallFrame frame = heard.poll(20, TimeUnit.SECONDS);
        if (frame == null || frame.type() == type) {
          return frame;
        }
      }
    }

    void assertLives(int call) throws Exception {
      say(call(call, "Echo", true));
      CallFrame.Status status = (CallFrame.Status) hear(FrameType.STATUS);
      while (status.call() != call) {
        status = (CallFrame.Status) hear(FrameType.STATUS);
      }
      assertEquals(0, status.code());
    }

    String assertEnds() throws Exception {
      CallFrame.GoAway away = (CallFrame.GoAway) hear(FrameType.GOAWAY);
      await(over.future());
      return away.reason();
    }

    void close() throws Exception {
      await(connection.close().otherwiseEmpty());
    }
  }

  private static CallFrame.Call call(int number, String method, boolean end) {
    return new CallFrame.Call(number, 0, "a.Service/" + method, HEAD, new CallFrame.Body(Buffer.buffer("x"), false), end);
  }

  private static CallFrame frame(FrameType type, int call) {
    return switch (type) {
      case SETTINGS -> SETTINGS;
      case CALL -> call(call, "Hold", false);
      case DATA -> new CallFrame.Data(call, null, new CallFrame.Body(Buffer.buffer("y"), false), false);
      case STATUS -> new CallFrame.Status(call, null, 0, "", null, null);
      case CANCEL -> new CallFrame.Cancel(call, 1);
      case CREDIT -> new CallFrame.Credit(call, 1);
      case GOAWAY -> new CallFrame.GoAway(0, "");
    };
  }

  @Test
  void eachFrameInEachStateOfAServer() throws Exception {
    Liar honest = new Liar().say(SETTINGS);
    Map<CallState, Integer> numbers = new EnumMap<>(
      Map.of(CallState.NEW, 9, CallState.REQUESTED, 1, CallState.ANSWERING, 2, CallState.SERVED, 3));
    int asked = 0;
    for (CallState state : numbers.keySet()) {
      for (FrameType type : FrameType.values()) {
        Liar liar = new Liar().say(SETTINGS).say(call(1, "Hold", false)).say(call(2, "Hold", true)).say(call(3, "Echo", true));
        liar.hear(FrameType.STATUS);
        liar.say(frame(type, numbers.get(state)));
        boolean meant = type == FrameType.GOAWAY || type != FrameType.SETTINGS && state.frames.contains(type);
        if (!meant) {
          String reason = liar.assertEnds();
          assertTrue(reason.contains(type + " is not allowed in state"), reason);
        } else if (type != FrameType.GOAWAY && state != CallState.NEW) {
          liar.assertLives(10);
        }
        liar.close();
        honest.assertLives(++asked);
      }
    }
    honest.close();
  }

  @Test
  void bytesThatAreNoFrameAndFramesBeforeTheGreeting() throws Exception {
    assertTrue(new Liar().say(call(1, "Echo", true)).assertEnds().contains("CALL is not allowed in state GREETING"));
    assertTrue(new Liar().say(new CallFrame.Settings(new VersionRange(8, 9), 1, 1, 1, 1)).assertEnds().contains("versions 8 to 9"));
    assertTrue(new Liar().say(SETTINGS).say(Buffer.buffer("nonsense")).assertEnds().contains("unknown type"));
    assertTrue(new Liar().say(Buffer.buffer()).assertEnds().contains("ends too early"));
  }

  @Test
  void messagesBeyondTheCreditEndTheConnection() throws Exception {
    Liar liar = new Liar().say(SETTINGS).say(call(1, "Hold", false)).say(frame(FrameType.DATA, 1));
    liar.assertLives(2);
    assertTrue(liar.say(frame(FrameType.DATA, 1)).assertEnds().contains("than the 2"));
    Liar credit = new Liar().say(SETTINGS).say(call(1, "Hold", false)).say(new CallFrame.Credit(1, Integer.MAX_VALUE))
      .say(new CallFrame.Credit(1, Integer.MAX_VALUE));
    assertTrue(credit.assertEnds().contains("credit for"));
    Liar packed = new Liar().say(SETTINGS).say(call(1, "Hold", false))
      .say(new CallFrame.Data(1, null, new CallFrame.Body(Buffer.buffer("z"), true), false));
    assertTrue(packed.assertEnds().contains("without encoding"));
  }

  @Test
  void messagesBeyondTheBytesOfACallEndTheConnection() throws Exception {
    RdmaGrpcServer wide = RdmaGrpcServer.create(Rdma.create(serving, options()), new RdmaGrpcServerOptions());
    wide.callHandler(this::serve);
    await(wide.listen("wide"));
    Liar liar = new Liar("wide").say(SETTINGS).say(call(1, "Hold", false));
    CallFrame.Body large = new CallFrame.Body(Buffer.buffer(new byte[1 << 20]), false);
    for (int i = 0; i < MessageReader.MOST_BYTES >> 20; i++) {
      liar.say(new CallFrame.Data(1, null, large, false));
    }
    liar.assertLives(2);
    String reason = liar.say(new CallFrame.Data(1, null, large, false)).assertEnds();
    assertTrue(reason.contains("although " + MessageReader.MOST_BYTES + " bytes"), reason);
  }

  /** A connection need not count 64 KiB of its waiting bytes for its peer. */
  @Test
  void bytesThatWaitAreCountedForThePeer() throws Exception {
    PeerBytes bytes = PeerBytes.of(await(rdma.directory()).nodeId());
    int others = PeerBytes.MOST_OF_PEER - (64 << 10);
    bytes.add(others);
    Liar liar = new Liar().say(SETTINGS).say(call(1, "Hold", false));
    liar.say(new CallFrame.Data(1, null, new CallFrame.Body(Buffer.buffer(new byte[64 << 10]), false), false));
    until("the bytes are counted", bytes::isExceeded);
    bytes.add(-others);
    liar.assertLives(2);
    liar.close();
  }

  /** The handler of each call starts work, which continues although the call has ended. */
  @Test
  void callsThatAreCancelledAtOnceAreNotServedWithoutEnd() throws Exception {
    Liar liar = new Liar().say(SETTINGS);
    int calls = 5_000;
    for (int i = 1; i <= calls; i++) {
      liar.say(call(i, "Hold", false)).say(new CallFrame.Cancel(i, 1));
    }
    assertCode(GrpcStatus.RESOURCE_EXHAUSTED, liar);
    liar.say(new CallFrame.Settings(CallLink.VERSIONS, 1, 1, 1, 1)).assertEnds();
    assertTrue(held.get() < calls, held + " of " + calls + " were served");
    new Liar().say(SETTINGS).assertLives(1);
  }

  @Test
  void callsThatEndBeforeTheirHandlersAreNotServedWithoutEnd() throws Exception {
    RdmaGrpcServer many = RdmaGrpcServer.create(Rdma.create(serving, options()), new RdmaGrpcServerOptions().setMaxCalls(100)
      .setMaxMessageSize(10));
    many.callHandler(this::serve);
    await(many.listen("many"));
    assertServedNoLonger((liar, call) -> liar.say(new CallFrame.Call(call, 1, "a.Service/Hold", HEAD, null, true)));
    CallFrame.Body tooLong = new CallFrame.Body(Buffer.buffer("more than ten"), false);
    assertServedNoLonger((liar, call) -> liar.say(call(call, "Hold", false)).say(new CallFrame.Data(call, null, tooLong, false)));
    CallFrame.Head packed = new CallFrame.Head(1, false, MultiMap.caseInsensitiveMultiMap());
    CallFrame.Body nonsense = new CallFrame.Body(Buffer.buffer("x"), true);
    assertServedNoLonger((liar, call) -> liar.say(new CallFrame.Call(call, 0, "a.Service/Echo", packed, nonsense, true)));
  }

  private void assertServedNoLonger(BiConsumer<Liar, Integer> begin) throws Exception {
    Liar liar = new Liar("many").say(SETTINGS);
    String words = "";
    for (int call = 1; call <= 20_000 && !words.contains("while their handlers"); call++) {
      begin.accept(liar, call);
      if (call % 50 == 0) {
        for (int i = 0; i < 50; i++) {
          words = ((CallFrame.Status) liar.hear(FrameType.STATUS)).message();
        }
      }
    }
    assertTrue(words.contains("while their handlers"), words);
    liar.close();
  }

  @Test
  void clientThatCancelsSomeCallsIsServed() throws Exception {
    Liar liar = new Liar().say(SETTINGS);
    for (int i = 1; i <= 10; i++) {
      liar.say(call(i, "Hold", false)).say(new CallFrame.Cancel(i, 1));
    }
    liar.assertLives(11);
    assertEquals(10, held.get());
  }

  @Test
  void excessiveOrUnknownFrameEndsOnlyTheCall() throws Exception {
    Liar liar = new Liar().say(SETTINGS);
    MultiMap much = MultiMap.caseInsensitiveMultiMap().add("key", "v".repeat(100));
    assertCode(GrpcStatus.RESOURCE_EXHAUSTED, liar.say(new CallFrame.Call(1, 0, "a/Echo", new CallFrame.Head(0, false, much), null, true)));
    assertCode(GrpcStatus.UNIMPLEMENTED,
      liar.say(new CallFrame.Call(2, 0, "a/Echo", new CallFrame.Head(7, false, MultiMap.caseInsensitiveMultiMap()), null,
        true)));
    liar.say(call(3, "Hold", false)).say(call(4, "Hold", false)).say(call(5, "Hold", false));
    assertCode(GrpcStatus.RESOURCE_EXHAUSTED, liar.say(call(6, "Echo", true)));
    liar.say(new CallFrame.Cancel(3, 1));
    liar.assertLives(7);
    liar.close();
  }

  private static void assertCode(GrpcStatus status, Liar liar) throws Exception {
    assertEquals(status.code, ((CallFrame.Status) liar.hear(FrameType.STATUS)).code());
  }

  @Test
  void aPeerThatTakesNoAnswersEndsItsConnection() throws Exception {
    Liar honest = new Liar().say(SETTINGS);
    Liar liar = new Liar().say(SETTINGS);
    liar.connection.pause();
    for (int i = 1; i <= 20_000; i++) {
      liar.say(call(i, "Echo", true));
    }
    // The server has received them all, or has ended the connection.
    await(liar.connection.flush().otherwiseEmpty());
    liar.connection.resume();
    assertTrue(liar.assertEnds().contains("does not read answers"));
    honest.assertLives(1);
    honest.close();
  }

  /** The bytes of the answers exceed a limit before their number. Nothing is lost, since the client may only be slow. */
  @Test
  void peerThatReadsNoLargeAnswersIsThrottled() throws Exception {
    int calls = 500;
    int most = (4 << 20) / LARGE.length() + 1;
    Liar liar = new Liar().say(SETTINGS);
    liar.hear(FrameType.SETTINGS);
    liar.connection.pause();
    for (int i = 1; i <= calls; i++) {
      liar.say(call(i, "Large", true));
    }
    until("answers wait", () -> mostUntaken.get() >= most - 1);
    liar.connection.resume();
    for (int i = 1; i <= calls; i++) {
      CallFrame.Status answer = (CallFrame.Status) liar.hear(FrameType.STATUS);
      assertEquals(i, answer.call());
      assertEquals(LARGE, answer.body().bytes());
    }
    assertTrue(mostUntaken.get() <= most, mostUntaken + " answers of " + LARGE.length() + " bytes waited");
    liar.assertLives(calls + 1);
  }

  /** A node that accepts no longer message. */
  private Rdma taking(int bytes) {
    return Rdma.create(calling, options().setMaxMessageSize(bytes));
  }

  @Test
  void statusHasNoTextForAPeerWithShortMessages() throws Exception {
    Liar liar = new Liar(taking(30), "victim").say(SETTINGS).say(Buffer.buffer("nonsense"));
    assertEquals("", liar.assertEnds());
    Liar much = new Liar(taking(50), "victim").say(SETTINGS);
    for (int i = 1; i <= 4; i++) {
      much.say(call(i, "Hold", false));
    }
    CallFrame.Status refused = (CallFrame.Status) much.hear(FrameType.STATUS);
    assertEquals(new CallFrame.Status(4, null, GrpcStatus.RESOURCE_EXHAUSTED.code, "", refused.trailers(), null), refused);
    much.close();
  }

  @Test
  void peerThatReadsOnlyShortMessagesDelaysNoShutdown() throws Exception {
    Context context = serving.getOrCreateContext();
    RdmaGrpcServer closing = RdmaGrpcServer.create(Rdma.create(serving, options()));
    await(on(context, () -> closing.listen("closing")));
    List<Liar> liars = List.of(new Liar(taking(30), "closing"), new Liar("closing"), new Liar(taking(30), "closing"));
    for (Liar liar : liars) {
      await(liar.say(SETTINGS).connection.flush());
    }
    Future<Void> shutdown = on(context, () -> closing.shutdown(Duration.ofSeconds(20)));
    assertEquals("the server is closing", liars.get(1).assertEnds());
    await(shutdown);
    assertEquals("", liars.get(0).assertEnds());
    assertEquals("", liars.get(2).assertEnds());
  }

  private static <T> Future<T> on(Context context, Supplier<Future<T>> what) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> Future.succeededFuture().compose(begun -> what.get()).onComplete(promise));
    return promise.future();
  }

  @Test
  void peerThatReadsNoGreetingIsDisconnected() throws Exception {
    await(new Liar(taking(25), "victim").over.future());
    Rdma tiny = taking(25);
    RdmaGrpcClient client = RdmaGrpcClient.create(tiny);
    Future<?> call = client.request(RdmaGrpcClient.address("victim"));
    String refused = assertThrows(ExecutionException.class, () -> await(call)).getMessage();
    // The server cannot send SETTINGS either, and may close first.
    assertTrue(refused.contains("accepts at most 25") || refused.contains("has closed its connection"), refused);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!await(tiny.statistics()).devices().stream().allMatch(device -> device.connections().isEmpty())) {
      assertTrue(System.nanoTime() < end, "its connection stays open");
    }
  }

  @Test
  void shuttingDownServerAcceptsNoCallsAfterALateGreeting() throws Exception {
    Liar early = new Liar().say(SETTINGS).say(call(1, "Hold", true));
    early.say(call(2, "Echo", true)).hear(FrameType.STATUS);
    Liar late = new Liar();
    late.hear(FrameType.SETTINGS);
    Future<Void> shutdown = server.shutdown(Duration.ofSeconds(20));
    assertEquals(2, ((CallFrame.GoAway) early.hear(FrameType.GOAWAY)).last());
    late.say(SETTINGS).say(call(1, "Echo", true));
    assertEquals(0, ((CallFrame.GoAway) late.hear(FrameType.GOAWAY)).last());
    early.say(new CallFrame.Cancel(1, 1));
    await(shutdown);
    assertTrue(late.heard.isEmpty(), () -> late.heard.toString());

    await(server.listen("again"));
    Liar again = new Liar("again").say(SETTINGS);
    again.assertLives(1);
    again.close();
  }
}
