package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RequestsTest extends FabricPair {
  private static final Buffer LOOKALIKE = Buffer.buffer().appendLong(0xD7A1_5C3E_9B42_F86DL);

  private RdmaConnection connection;
  private RdmaConnection peer;

  @Override
  RdmaOptions options() {
    return super.options().setMaxMessageSize(1 << 20);
  }

  @BeforeEach
  void connect() throws Exception {
    Promise<RdmaConnection> accepted = Promise.promise();
    await(server.createServer().connectHandler(accepted::complete).listen("requests"));
    connection = await(client.connect("requests"));
    peer = await(accepted.future());
  }

  private static void assertFails(Reason reason, String words, Future<?> request) {
    assertEquals(reason, reason(request));
    assertTrue(request.cause().getMessage().contains(words), request.cause().getMessage());
  }

  @Test
  void aReplyThatDoesNotComeIsMissedInTime() throws Exception {
    Queue<Promise<Buffer>> asked = new ConcurrentLinkedQueue<>();
    peer.requestHandler(body -> {
      Promise<Buffer> reply = Promise.promise();
      asked.add(reply);
      return reply.future();
    });
    Future<Buffer> late = connection.request(Buffer.buffer("1"), Duration.ofMillis(20));
    assertFails(Reason.TIMEOUT, "no reply to a request within 20 ms", late);
    // The late reply to the first request is dropped.
    Future<Buffer> second = connection.request(Buffer.buffer("2"));
    until("both are asked", () -> asked.size() == 2);
    asked.remove().complete(Buffer.buffer("late"));
    asked.remove().complete(Buffer.buffer("in time"));
    assertEquals("in time", await(second).toString());
  }

  @Test
  void onlySoManyWait() throws Exception {
    List<Future<Buffer>> asked = new ArrayList<>();
    for (int i = 0; i < 1025; i++) {
      asked.add(connection.request(Buffer.buffer("wait")));
    }
    assertFails(Reason.LIMIT, "1024 requests have no reply yet", asked.removeLast());
    peer.requestHandler(Future::succeededFuture);
    for (Future<Buffer> each : asked) {
      assertEquals("wait", await(each).toString());
    }
  }

  @Test
  void onlySoManyBytesWait() throws Exception {
    Buffer large = Buffer.buffer(new byte[600_000]);
    Future<Buffer> first = connection.request(large);
    assertFails(Reason.LIMIT, "and 1048576 bytes may wait", connection.request(large));
    // A handler takes effect on the event loop, perhaps after this thread has sent the next request.
    AtomicReference<Buffer> reply = new AtomicReference<>(Buffer.buffer("done"));
    peer.requestHandler(body -> Future.succeededFuture(reply.get()));
    assertEquals("done", await(first).toString());
    // One request of any size may wait.
    assertEquals("done", await(connection.request(Buffer.buffer(new byte[(1 << 20) - 16]))).toString());
    assertFails(Reason.TOO_LARGE, "at most 1048576 bytes", connection.request(Buffer.buffer(new byte[(1 << 20) - 15])));
    reply.set(Buffer.buffer(new byte[1 << 20]));
    assertFails(Reason.TOO_LARGE, "the reply of 1048592 bytes", connection.request(Buffer.buffer()));
  }

  @Test
  void onlySoManyWaitForAPeerThatTakesNone() throws Exception {
    takesNothing(peer, connection);
    List<Future<Buffer>> asked = new ArrayList<>();
    for (int i = 0; i < 1024; i++) {
      asked.add(connection.request(Buffer.buffer("wait"), Duration.ofMillis(1)));
    }
    for (Future<Buffer> each : asked) {
      assertEquals(Reason.TIMEOUT, reason(each));
    }
    assertFails(Reason.LIMIT, "1024 requests are not sent yet, since the peer does not read "
      + "them", connection.request(Buffer.buffer("more"), Duration.ofMillis(1)));
    peer.requestHandler(Future::succeededFuture);
    peer.resume();
    await(connection.flush());
    assertEquals("on", await(connection.request(Buffer.buffer("on"))).toString());
  }

  @Test
  void aRefusedRequestIsForgotten() throws Exception {
    takesNothing(connection, peer);
    WeakReference<byte[]> kept = request(1);
    WeakReference<byte[]> refused = request(2);
    until("nobody refers to it", () -> {
      System.gc();
      return refused.get() == null;
    });
    assertNotNull(kept.get(), "one of any size waits for a handler");
  }

  private WeakReference<byte[]> request(long number) throws ReflectiveOperationException {
    byte[] frame = LOOKALIKE.copy().appendLong(1L << 56 | number).appendBytes(new byte[600_000]).getBytes();
    link(peer).loop().host.execute(() -> ((MessageHandler) peer).message(new HeapBuffer(frame)));
    return new WeakReference<>(frame);
  }

  /** Replies that the requester does not read are limited in bytes. Later ones are dropped, and the requester is notified. */
  @Test
  void bytesOfWaitingRepliesAreLimited() throws Exception {
    takesNothing(connection, peer);
    Buffer large = Buffer.buffer(new byte[(1 << 20) - 16]);
    AtomicInteger answered = new AtomicInteger();
    peer.requestHandler(body -> {
      answered.incrementAndGet();
      return Future.succeededFuture(large);
    });
    List<Future<Buffer>> asked = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      asked.add(connection.request(Buffer.buffer("large")));
    }
    until("all are answered", () -> answered.get() == 80);
    assertTrue(pendingBytes() < 68 << 20);
    connection.resume();
    await(Future.join(asked).otherwiseEmpty());
    List<Future<Buffer>> refused = asked.stream().filter(Future::failed).toList();
    assertEquals(15, refused.size());
    assertFails(Reason.LIMIT, "68157440 bytes of replies already wait for the requester", refused.getFirst());
    assertEquals(large, await(connection.request(Buffer.buffer("large"))));
  }

  private static void takesNothing(RdmaConnection reader, RdmaConnection writer) {
    reader.handler(message -> {}).pause();
    for (int i = 0; i < 1_000; i++) {
      writer.write(Buffer.buffer(new byte[1_000]));
    }
  }

  @Test
  void unreadAnswersAreLimited() throws Exception {
    peer.requestHandler(Future::succeededFuture);
    takesNothing(connection, peer);
    long before = unanswered(4);
    assertEquals(before, unanswered(4));
  }

  /** @return bytes that wait for the requester */
  private long unanswered(int rounds) throws Exception {
    for (int round = 0; round < rounds; round++) {
      List<Future<Buffer>> asked = new ArrayList<>();
      for (int i = 0; i < 1024; i++) {
        asked.add(connection.request(Buffer.buffer("wait"), Duration.ofMillis(1)));
      }
      await(Future.join(asked).otherwiseEmpty());
      await(connection.flush());
    }
    return pendingBytes();
  }

  private long pendingBytes() throws Exception {
    return await(server.statistics()).devices().stream().flatMap(device -> device.connections().stream())
      .mapToLong(ConnectionStatistics::pendingBytes)
      .sum();
  }

  @Test
  void failureOfAHandlerIsSentToTheRequester() {
    peer.requestHandler(body -> {
      if (body.toString().equals("nothing")) {
        return null;
      }
      throw new IllegalStateException("out of " + body);
    });
    assertFails(Reason.REJECTED, "answered a request with a failure: out of paper", connection.request(Buffer.buffer("paper")));
    assertFails(Reason.REJECTED, "returned null", connection.request(Buffer.buffer("nothing")));
    peer.requestHandler(null);
    until("the handler is removed", () -> reason(connection.request(Buffer.buffer("paper"))) == Reason.UNSUPPORTED);
    assertFails(Reason.UNSUPPORTED, "the peer has removed its request handler", connection.request(Buffer.buffer("paper")));
    assertThrows(IllegalArgumentException.class, () -> connection.request(Buffer.buffer(), Duration.ZERO));
  }

  @Test
  void aHandlerRunsOnTheConnectionsContext() throws Exception {
    Promise<Void> set = Promise.promise();
    Promise<Boolean> same = Promise.promise();
    peer.handler(message -> {
      var context = Vertx.currentContext();
      peer.requestHandler(body -> {
        same.complete(Vertx.currentContext() == context);
        return Future.succeededFuture();
      });
      set.complete();
    });
    connection.write(Buffer.buffer());
    await(set.future());
    assertEquals(0, await(connection.request(Buffer.buffer())).length());
    assertTrue(await(same.future()));
  }

  @Test
  void aMessageThatLooksLikeARequestIsAMessage() throws Exception {
    Queue<Buffer> got = new ConcurrentLinkedQueue<>();
    List<Buffer> sent = List.of(LOOKALIKE, LOOKALIKE.copy().appendLong(1L << 56 | 1), LOOKALIKE.copy().appendBytes(new byte[50_000]),
      Buffer.buffer("x"));
    peer.handler(got::add);
    for (Buffer each : sent) {
      await(connection.write(each));
    }
    RdmaMessage message = await(connection.allocate(60_000));
    message.body().appendBuffer(sent.get(2));
    await(connection.write(message));
    await(connection.end());
    assertEquals(List.of(sent.get(0), sent.get(1), sent.get(2), sent.get(3), sent.get(2)), List.copyOf(got));
    assertEquals("", connection.privateData().toString());
  }

  @Test
  void invalidFrameEndsTheConnection() throws Exception {
    peer.requestHandler(Future::succeededFuture);
    Promise<Throwable> why = Promise.promise();
    peer.exceptionHandler(why::complete);
    send(LOOKALIKE.copy().appendLong(2L << 56 | 77).appendString("of nothing"));
    send(LOOKALIKE.copy().appendLong(3L << 56 | 77));
    assertEquals("on", await(connection.request(Buffer.buffer("on"))).toString());
    send(LOOKALIKE.copy().appendLong(7L << 56));
    assertEquals(Reason.PROTOCOL, ((RdmaException) await(why.future())).reason());
    assertTrue(why.future().result().getMessage().contains("sent an invalid request frame"), why.future().result().getMessage());
  }

  private void send(Buffer frame) throws ReflectiveOperationException {
    Link link = link(connection);
    link.loop().host.execute(() -> link.send(((BufferInternal) frame).getByteBuf(), null));
  }

  private static Link link(RdmaConnection connection) throws ReflectiveOperationException {
    var field = connection.getClass().getDeclaredField("link");
    field.setAccessible(true);
    return (Link) field.get(connection);
  }

  /** Sends a request, and waits until the peer, which answers with {@code reply}, has received it. */
  private Future<Buffer> ask(Promise<Buffer> reply) throws Exception {
    Promise<Buffer> asked = Promise.promise();
    peer.requestHandler(body -> {
      asked.tryComplete(body);
      return reply.future();
    });
    Future<Buffer> request = connection.request(Buffer.buffer("x"));
    await(asked.future());
    return request;
  }

  /** The peer may have executed earlier requests when a refused post ends the connection. */
  @Test
  void requestsCutOffByTheEndMayHaveBeenExecuted() throws Exception {
    Future<Buffer> request = ask(Promise.promise());
    Link link = link(connection);
    link.loop().host.execute(() -> link.fail(new RdmaException(Reason.LIMIT, "a send was refused")));
    assertEquals(Reason.LIMIT, reason(request));
    assertTrue(((RdmaException) request.cause()).isEffectUnknown());
  }

  @Test
  void aShutdownWaitsForRepliesAndExecutesNoMoreRequests() throws Exception {
    Promise<Buffer> reply = Promise.promise();
    Future<Buffer> request = ask(reply);
    Future<Void> down = peer.shutdown(Duration.ofSeconds(30));
    Promise<Void> begun = Promise.promise();
    link(peer).loop().host.execute(begun::complete);
    await(begun.future());
    Future<Buffer> late = connection.request(Buffer.buffer("late"));
    assertFails(Reason.UNSUPPORTED, "has not executed the request", late);
    assertFalse(((RdmaException) late.cause()).isEffectUnknown());
    assertFalse(down.isComplete());
    reply.complete(Buffer.buffer("y"));
    assertEquals("y", await(request).toString());
    await(down);
  }

  @Test
  void aShutdownWithoutReplyEndsAfterItsTime() throws Exception {
    Future<Buffer> request = ask(Promise.promise());
    // On a busy machine the time may be up before both sides have agreed.
    await(peer.shutdown(Duration.ofSeconds(4)).recover(cause -> cause instanceof RdmaException late && late.reason() == Reason.TIMEOUT
      ? Future.succeededFuture() : Future.failedFuture(cause)));
    assertTrue(Set.of(Reason.CLOSED, Reason.CONNECTION_LOST).contains(reason(request)));
    assertTrue(((RdmaException) request.cause()).isEffectUnknown());
  }

  @Test
  void requestFailsWhenItsConnectionHasEnded() throws Exception {
    await(connection.requestHandler(body -> Promise.<Buffer>promise().future()).end());
    assertEquals(Reason.CLOSED, reason(connection.request(Buffer.buffer("late"))));
    Future<Buffer> unanswered = peer.request(Buffer.buffer("x"), Duration.ofMinutes(1));
    await(connection.close());
    assertEquals(Reason.CLOSED, reason(unanswered));
  }

  @Test
  void aReplyGoesToAReaderThatReleasesMessagesToo() throws Exception {
    peer.messageHandler(RdmaMessage::release);
    connection.messageHandler(RdmaMessage::release);
    peer.requestHandler(Future::succeededFuture);
    Buffer large = Buffer.buffer(new byte[500_000]).appendString("end");
    assertEquals(large, await(connection.request(large)));
  }
}
