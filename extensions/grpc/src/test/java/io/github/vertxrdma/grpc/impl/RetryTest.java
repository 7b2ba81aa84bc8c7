package io.github.vertxrdma.grpc.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls whose server is lost are repeated after pauses, in virtual time. */
@Timeout(60)
class RetryTest implements CallNode.World, SimulatedConnection.Watcher {
  private static final ServiceName SERVICE = ServiceName.create("a.Service");
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final CallTime time = new CallTime();
  private final CallNode server = node("server");
  private final CallNode client = node("client");
  /** Times in nanoseconds at which the client has tried to connect. */
  private final List<Long> connects = new ArrayList<>();
  private final List<GrpcServerRequest<Buffer, Buffer>> served = new ArrayList<>();
  private SimulatedConnection connection;
  private RdmaGrpcServer serving;
  private CallNode other;
  /** Server that is listed after its withdrawal. */
  private ServiceEntry leaving;
  private boolean unreachable;
  /** Duration of a connect in nanoseconds. */
  private long connecting;
  /** Maximum duration of a message in nanoseconds. */
  private long travel = 1;

  private CallNode node(String name) {
    ContextInternal context = CallConversation.VERTX.contextBuilder().withThreadingModel(ThreadingModel.EVENT_LOOP)
      .withEventLoop(time.eventLoop())
      .build();
    return new CallNode(this, name, context);
  }

  @Override
  public List<ServiceEntry> instances(String name) {
    return Stream.of(leaving == null ? server.entry : leaving, other == null ? null : other.entry).filter(Objects::nonNull).toList();
  }

  @Override
  public Future<RdmaConnection> connect(CallNode from, ServiceEntry to) {
    connects.add(time.now());
    if (unreachable) {
      return from.context.failedFuture(new RdmaException(Reason.UNREACHABLE, "nobody is there"));
    }
    CallNode node = to.nodeId().equals(server.name) ? server : other;
    connection = new SimulatedConnection(time, new SplittableRandom(1), from, node, this, travel);
    node.context.dispatch(connection.server.connection, node.connectHandler);
    Promise<RdmaConnection> connected = from.context.promise();
    RdmaConnection opened = connection.client.connection;
    time.after(connecting, () -> connected.complete(opened));
    return connected.future();
  }

  @Override
  public void written(SimulatedConnection.End by, Buffer message) {
  }

  @Override
  public void arriving(SimulatedConnection.End at, Buffer message) {
  }

  @Override
  public void arrived(SimulatedConnection.End at) {
  }

  @BeforeEach
  void serve() {
    server.context.runOnContext(v -> {
      serving = RdmaGrpcServer.create(server.rdma);
      serving.callHandler(served::add);
      serving.listen(CallConversation.NAME);
    });
    time.pass(0);
  }

  private ClientImpl client(RdmaGrpcClientOptions options, double chance) {
    return new ClientImpl(client.rdma,
      options.setServer(CallConversation.NAME).setIdempotentMethods(List.of("a.Service/Again")),
      () -> chance);
  }

  private Future<Buffer> call(ClientImpl by, long timeoutNanos) {
    List<Future<Buffer>> answer = new ArrayList<>();
    client.context.runOnContext(v -> answer.add(by.request(ServiceMethod.client(SERVICE, "Again", GrpcMessageEncoder.IDENTITY,
      GrpcMessageDecoder.IDENTITY)).compose(request -> send(request, timeoutNanos))));
    time.pass(MILLI);
    return answer.getFirst();
  }

  private static Future<Buffer> send(GrpcClientRequest<Buffer, Buffer> request, long timeoutNanos) {
    if (timeoutNanos > 0) {
      request.timeout(timeoutNanos, TimeUnit.NANOSECONDS);
    }
    return request.send(Buffer.buffer("x")).compose(GrpcClientResponse::last);
  }

  private void breakUp() {
    connection.breakUp(new SplittableRandom(1), 1);
  }

  private static GrpcErrorException unavailable(Future<?> answer) {
    GrpcErrorException failure = assertInstanceOf(GrpcErrorException.class, answer.cause(), () -> "" + answer.cause());
    assertEquals(GrpcStatus.UNAVAILABLE, failure.status());
    return failure;
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 0.999})
  void pausesDoubleUpToTheLongest(double chance) {
    Future<Buffer> answer = call(client(new RdmaGrpcClientOptions().setMaxAttempts(7), chance), 0);
    assertEquals(1, served.size());
    unreachable = true;
    long broken = time.now();
    breakUp();
    time.pass(TimeUnit.MINUTES.toNanos(1));
    unavailable(answer);
    // The first attempt, which was in flight, and six more.
    assertEquals(7, connects.size());
    long[] pauses = {100, 200, 400, 800, 1_000, 1_000};
    for (int i = 0; i < pauses.length; i++) {
      double pause = (connects.get(i + 1) - (i == 0 ? broken : connects.get(i))) / (double) MILLI;
      assertEquals(pauses[i] * (0.8 + 0.4 * chance), pause, 0.1, "pause " + i);
    }
    assertFalse(time.pass(0), "a timer is left");
  }

  /** The server's connection lives, otherwise the liveness check would end it. */
  @Test
  void connectedServerMissingFromDirectoryIsCalled() {
    ClientImpl by = client(new RdmaGrpcClientOptions(), 0.5);
    call(by, 0);
    server.entry = null;
    Future<Buffer> answer = call(by, 0);
    assertEquals(2, served.size());
    served.get(1).response().end(Buffer.buffer("y"));
    time.pass(MILLI);
    assertEquals("y", answer.result().toString());
    assertEquals(1, connects.size());
    server.context.dispatch(null, v -> serving.shutdown(Duration.ofSeconds(1)));
    time.pass(MILLI);
    assertTrue(call(by, 0).failed(), "one that takes no calls is called");
  }

  /** The client's SETTINGS and first calls are under way, at all moments of a connect, when one of two servers shuts down. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20})
  void shutdownLosesNoCallOfClientsThatConnect(int moment) {
    other = node("spare");
    other.context.runOnContext(v -> RdmaGrpcServer.create(other.rdma)
      .callHandler(call -> call.response().end(Buffer.buffer("y"))).listen(CallConversation.NAME));
    serving.callHandler(call -> call.response().end(Buffer.buffer("y")));
    ClientImpl by = client(new RdmaGrpcClientOptions(), 0.5);
    travel = MILLI;
    connecting = MILLI;
    List<Future<Buffer>> answers = new ArrayList<>();
    client.context.runOnContext(v -> {
      for (int i = 0; i < 20; i++) {
        answers.add(by.request(ServiceMethod.client(SERVICE, "Once", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
          .compose(request -> send(request, 0)));
      }
    });
    time.pass(moment * MILLI / 4);
    List<Future<Void>> down = new ArrayList<>();
    server.context.dispatch(null, v -> down.add(serving.shutdown(Duration.ofSeconds(20))));
    time.pass(TimeUnit.SECONDS.toNanos(5));
    for (Future<Buffer> answer : answers) {
      assertTrue(answer.succeeded(), () -> "" + answer.cause());
    }
    assertTrue(down.getFirst().succeeded(), "the server waits for nothing");
  }

  /** Two calls in flight, so that the next turn is that server's again. */
  @Test
  void listedServerThatShutsDownIsChosenLast() {
    other = node("spare");
    other.context.runOnContext(v -> RdmaGrpcServer.create(other.rdma)
      .callHandler(call -> call.response().end(Buffer.buffer("y"))).listen(CallConversation.NAME));
    ClientImpl by = client(new RdmaGrpcClientOptions().setMaxAttempts(2), 0.5);
    leaving = server.entry;
    travel = MILLI;
    server.context.dispatch(null, v -> serving.shutdown(Duration.ofSeconds(1)));
    time.pass(MILLI);
    List<Future<Buffer>> answers = new ArrayList<>();
    client.context.runOnContext(v -> {
      for (int i = 0; i < 2; i++) {
        answers.add(by.request(ServiceMethod.client(SERVICE, "Once", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
          .compose(request -> send(request, 0)));
      }
    });
    time.pass(TimeUnit.SECONDS.toNanos(10));
    for (Future<Buffer> answer : answers) {
      assertTrue(answer.succeeded(), () -> "" + answer.cause());
    }
    assertEquals(2, connects.size());
  }

  @Test
  void aServerThatComesBackIsFound() {
    Future<Buffer> answer = call(client(new RdmaGrpcClientOptions(), 0.5), 0);
    unreachable = true;
    breakUp();
    time.pass(150 * MILLI);
    assertEquals(2, connects.size());
    unreachable = false;
    time.pass(200 * MILLI);
    assertEquals(2, served.size());
    served.get(1).response().end(Buffer.buffer("y"));
    time.pass(MILLI);
    assertEquals("y", answer.result().toString());
  }

  @Test
  void remainingDeadlineAfterConnectingIsSent() {
    connecting = 100 * MILLI;
    ClientImpl by = client(new RdmaGrpcClientOptions().setTimeout(Duration.ofMillis(250)), 0.5);
    Future<Buffer> answer = call(by, 0);
    time.pass(connecting);
    assertEquals(150, served.get(0).timeout());
    time.pass(150 * MILLI);
    assertEquals(GrpcStatus.DEADLINE_EXCEEDED, assertInstanceOf(GrpcErrorException.class, answer.cause()).status());
    String cause = answer.cause().getCause().getMessage();
    assertTrue(cause.contains("/Again to ") && cause.contains("did not end before its deadline"), cause);
  }

  @Test
  void aDeadlineEndsWhileTheClientConnects() {
    connecting = 100 * MILLI;
    ClientImpl by = client(new RdmaGrpcClientOptions().setTimeout(Duration.ofMillis(50)), 0.5);
    Future<Buffer> late = call(by, 0);
    time.pass(60 * MILLI);
    assertEquals(GrpcStatus.DEADLINE_EXCEEDED, assertInstanceOf(GrpcErrorException.class, late.cause()).status());
    String cause = late.cause().getCause().getMessage();
    assertTrue(cause.contains("/Again to ") && cause.contains("had no connection to a server before its deadline"), cause);
    time.pass(100 * MILLI);
    assertEquals(0, served.size());
    Future<Buffer> next = call(by, 0);
    assertEquals(1, connects.size());
    served.getFirst().response().end(Buffer.buffer("y"));
    time.pass(MILLI);
    assertEquals("y", next.result().toString());
    assertFalse(time.pass(0), "a timer is left");
  }

  @Test
  void deadlineEndsRetries() {
    Future<Buffer> answer = call(client(new RdmaGrpcClientOptions().setMaxAttempts(10), 0.5), 250 * MILLI);
    assertEquals(250, served.get(0).timeout());
    breakUp();
    time.pass(120 * MILLI);
    assertEquals(2, served.size());
    assertTrue(served.get(1).timeout() < 150, () -> served.get(1).timeout() + " ms of 250 are left after 100");
    // The next pause takes 200 ms.
    breakUp();
    time.pass(MILLI);
    String why = unavailable(answer).getCause().getMessage();
    assertTrue(why.contains("last at node server, failed: the connection to the node was lost"), why);
    assertFalse(time.pass(0), "a timer is left");
  }

  @Test
  void callThatNoServerHasBegunIsRepeatedAtOnce() {
    ClientImpl by = client(new RdmaGrpcClientOptions(), 0.5);
    call(by, 0);
    Future<Buffer> answer = call(by, 0);
    unreachable = true;
    long now = time.now();
    server.context.dispatch(null, v -> connection.server.connection.write(new CallFrameWriter().bytes(new CallFrame.GoAway(1, "closing"))));
    time.pass(TimeUnit.SECONDS.toNanos(10));
    unavailable(answer);
    assertEquals(3, connects.size());
    assertEquals(now, connects.get(1), MILLI);
    assertEquals(now + 100 * MILLI, connects.get(2), MILLI);
  }

  private GrpcClientRequest<Buffer, Buffer> request(ClientImpl by) {
    return request(by, "Once");
  }

  private GrpcClientRequest<Buffer, Buffer> request(ClientImpl by, String method) {
    List<Future<GrpcClientRequest<Buffer, Buffer>>> asked = new ArrayList<>();
    client.context.runOnContext(v -> asked.add(by.request(ServiceMethod.client(SERVICE, method, GrpcMessageEncoder.IDENTITY,
      GrpcMessageDecoder.IDENTITY))));
    time.pass(MILLI);
    return asked.getFirst().result();
  }

  private Future<Buffer> begin(GrpcClientRequest<Buffer, Buffer> request) {
    List<Future<Buffer>> answer = new ArrayList<>();
    client.context.runOnContext(v -> answer.add(send(request, 0)));
    time.pass(MILLI);
    return answer.getFirst();
  }

  @Test
  void callIsRetriedWhenConnectionEndedBeforeIt() {
    GrpcClientRequest<Buffer, Buffer> request = request(client(new RdmaGrpcClientOptions(), 0.5));
    breakUp();
    time.pass(MILLI);
    Future<Buffer> answer = begin(request);
    assertEquals(2, connects.size());
    assertEquals(1, served.size());
    served.getFirst().response().end(Buffer.buffer("y"));
    time.pass(MILLI);
    assertEquals("y", answer.result().toString());
  }

  @Test
  void callFailsWithoutServerWhenConnectionEndedBeforeIt() {
    GrpcClientRequest<Buffer, Buffer> request = request(client(new RdmaGrpcClientOptions(), 0.5));
    unreachable = true;
    breakUp();
    time.pass(MILLI);
    Future<Buffer> answer = begin(request);
    time.pass(TimeUnit.SECONDS.toNanos(10));
    unavailable(answer);
    assertFalse(time.pass(0), "a timer is left");
  }

  private Future<Void> endInVain(GrpcClientRequest<Buffer, Buffer> request) {
    connection.client.stuck = true;
    List<Future<Void>> end = new ArrayList<>();
    client.context.runOnContext(v -> end.add(request.end(Buffer.buffer("x"))));
    time.pass(MILLI);
    breakUp();
    time.pass(MILLI);
    return end.getFirst();
  }

  @Test
  void endOfARepeatedCallSucceeds() {
    GrpcClientRequest<Buffer, Buffer> request = request(client(new RdmaGrpcClientOptions(), 0.5), "Once");
    assertTrue(endInVain(request).succeeded());
    assertEquals(2, connects.size(), "what was not sent is repeated at once");
    served.getFirst().response().end(Buffer.buffer("y"));
    time.pass(MILLI);
    assertTrue(request.response().succeeded());
  }

  @Test
  void endOfACallFailsWithTheCallWhenItIsNotRepeated() {
    GrpcClientRequest<Buffer, Buffer> request = request(client(new RdmaGrpcClientOptions().setMaxAttempts(1), 0.5));
    unavailable(endInVain(request));
    unavailable(request.response());
  }

  /** A call can have the same number on its second connection, where it is executed, as on the first, which did not send it. */
  @Test
  void failedWriteOnAnEarlierConnectionDoesNotPermitAnotherAttempt() {
    other = node("spare");
    other.context.runOnContext(v -> RdmaGrpcServer.create(other.rdma).callHandler(served::add).listen(CallConversation.NAME));
    time.pass(0);
    GrpcClientRequest<Buffer, Buffer> request = request(client(new RdmaGrpcClientOptions(), 0.5));
    SimulatedConnection first = connection;
    first.client.stuck = true;
    Future<Buffer> answer = begin(request);
    first.server.node.context
      .dispatch(null, v -> first.server.connection.write(new CallFrameWriter().bytes(new CallFrame.GoAway(0, "closing"))));
    time.pass(MILLI);
    assertEquals(1, served.size());
    first.breakUp(new SplittableRandom(1), 1);
    time.pass(MILLI);
    breakUp();
    time.pass(TimeUnit.SECONDS.toNanos(10));
    unavailable(answer);
    assertEquals(1, served.size());
  }

  /** Calls at that server may never end. */
  @Test
  void callToServerThatShutsDownIsRetriedAtOnce() {
    ClientImpl by = client(new RdmaGrpcClientOptions(), 0.5);
    call(by, 0);
    GrpcClientRequest<Buffer, Buffer> request = request(by);
    server.context.dispatch(null, v -> connection.server.connection.write(new CallFrameWriter().bytes(new CallFrame.GoAway(1, "closing"))));
    time.pass(MILLI);
    begin(request);
    assertEquals(2, connects.size());
    assertEquals(2, served.size());
  }

  @Test
  void aClientThatClosesWaitsForNoPause() {
    ClientImpl by = client(new RdmaGrpcClientOptions(), 0.5);
    Future<Buffer> answer = call(by, 0);
    breakUp();
    time.pass(MILLI);
    assertFalse(answer.isComplete());
    Future<Void> closed = by.close();
    assertFalse(time.pass(0), "a timer is left");
    assertTrue(closed.succeeded());
    assertTrue(unavailable(answer).getCause().getMessage().contains("closed"));
  }

  @Test
  void retriesWithoutPausesFollowAtOnce() {
    Future<Buffer> answer = call(client(new RdmaGrpcClientOptions().setInitialBackoff(Duration.ZERO), 0.5), 0);
    unreachable = true;
    breakUp();
    time.pass(MILLI);
    unavailable(answer);
    assertEquals(3, connects.size());
  }
}
