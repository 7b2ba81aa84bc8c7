package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RefusalTest extends Nodes {
  private static final int PART = 4_096;
  private static final int ALL_PARTS = 64 << 20;

  /** Bytes of parts that a function could write before it had to wait. */
  private final Promise<Integer> ahead = Promise.promise();
  private Node server;
  private RawCaller caller;

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("many-parts", ON_LOOP, invocation -> {
      Future<Void> room;
      int written = 0;
      do {
        room = invocation.write(Buffer.buffer(new byte[PART]));
        written += PART;
      } while (room.isComplete() && written < ALL_PARTS);
      ahead.complete(written);
      return room.map(Buffer.buffer());
    });
  }

  @BeforeEach
  void start() throws Exception {
    server = manager(new FunctionServerOptions().setCores(1));
    caller = RawCaller.connect(node().rdma);
    caller.lease(1, 60_000);
  }

  private static void assertWords(String expected, String words) {
    assertTrue(words.contains(expected), words);
  }

  private static long id(long sequence, int slot) {
    return sequence << 6 | slot;
  }

  @Test
  void validCallIsAnswered() throws Exception {
    caller.openWorker();
    caller.call(caller.number("secret"), id(1, 0), caller.functionId("echo"), 0, 256);
    assertEquals(0, caller.status(0));
    assertEquals(0, server.manager.refusals());
  }

  @Test
  void forgedInvocationsAreRefused() throws Exception {
    caller.openWorker();
    int hold = caller.functionId("never");
    long secret = caller.number("secret");
    caller.call(secret + 1, id(1, 0), hold, 0, 256);
    assertWords("does not carry the secret", caller.refusal());
    caller.call(secret, id(1, 4), hold, 0, 256);
    assertWords("has 4 slots", caller.refusal());
    caller.call(secret, id(5, 0), hold, 0, 256);
    caller.call(secret, id(6, 0), hold, 0, 256);
    assertWords("slot 0 has a call in progress", caller.refusal());
    caller.call(secret, id(5, 1), hold, 0, 256);
    assertWords("its number was used before", caller.refusal());
    caller.call(secret, id(6, 1), hold, 65_536 - 200, 256);
    assertWords("would be outside the region", caller.refusal());
    caller.call(secret, id(6, 1), hold, -8, 256);
    assertWords("would be outside the region", caller.refusal());
    assertEquals(6, server.manager.refusals());
    caller.call(secret, id(7, 1), caller.functionId("echo"), 1024, 256);
    assertEquals(0, caller.status(1024));
  }

  @Test
  void forgedMessagesAreRefused() throws Exception {
    caller.openWorker();
    long secret = caller.number("secret");
    int echo = caller.functionId("echo");
    caller.callByMessage(secret + 1, id(1, 0), echo, 0, 256);
    assertWords("does not carry the secret", caller.refusal());
    caller.callByMessage(secret, id(2, 0), echo, 0, 256);
    assertEquals(0, caller.status(0));
    caller.callByMessage(secret, id(2, 0), echo, 0, 256);
    assertWords("its number was used before", caller.refusal());
    caller.call(secret, id(2, 0), echo, 0, 256);
    assertWords("its number was used before", caller.refusal());
    caller.worker.write(Buffer.buffer(new byte[20]).setByte(0, (byte) 8));
    assertWords("a message of 19 bytes that contains an incomplete call", caller.refusal());
    assertEquals(4, server.manager.refusals());
  }

  @Test
  void callerThatReadsNoAnswersIsDisconnected() throws Exception {
    caller.openWorker();
    AtomicBoolean over = new AtomicBoolean();
    caller.worker.closeHandler(v -> over.set(true));
    caller.worker.pause();
    int echo = caller.functionId("echo");
    until("the worker has closed the connection", () -> {
      for (int i = 0; i < 10; i++) {
        caller.callByMessage(caller.number("secret") + 1, id(1, 0), echo, 0, 256);
      }
      return over.get();
    });
  }

  private boolean isReading(RawCaller other) {
    long before = server.manager.refusals();
    try {
      for (int i = 0; i < 20; i++) {
        other.ask(new JsonObject().put("op", "dance"));
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return server.manager.refusals() != before;
  }

  @Test
  void partsWaitForACallerThatReadsNone() throws Exception {
    caller.openWorker();
    caller.worker.pause();
    caller.callByMessage(caller.number("secret"), id(1, 0), caller.functionId("many-parts"), 0, 256, Integer.MAX_VALUE);
    int written = await(ahead.future());
    assertTrue(written < ALL_PARTS / 4, written + " bytes of parts are on their way to a caller that takes none");
    caller.worker.resume();
    assertEquals(0, caller.status(0));
  }

  @Test
  void serverStopsReadingFromClientThatReadsNoAnswers() throws Exception {
    RawCaller other = RawCaller.connect(node().rdma);
    caller.manager.pause();
    int asked = 30_000;
    for (int i = 0; i < asked; i++) {
      caller.manager.write(new JsonObject().put("op", "end").put("lease", "1").toBuffer());
    }
    until("the server reads no more, and requests wait at their client",
      () -> server.manager.refusals() > 0 && caller.manager.writeQueueFull() && !isReading(other));
    assertTrue(server.manager.refusals() < asked);
    caller.manager.resume();
    until("all are answered", () -> caller.answers.size() == asked);
    assertEquals(asked, server.manager.refusals());
  }

  /** A call that is written in parts can be overtaken. */
  @Test
  void aCallThatComesAfterItsCancellationDoesNotRun() throws Exception {
    caller.openWorker();
    caller.worker.write(Buffer.buffer().appendByte((byte) 2).appendLongLE(id(1, 0)));
    caller.callByMessage(caller.number("secret"), id(1, 0), caller.functionId("echo"), 0, 256);
    assertEquals(1 + Reason.CANCELLED.ordinal(), caller.status(0));
    caller.callByMessage(caller.number("secret"), id(2, 0), caller.functionId("echo"), 0, 256);
    assertEquals(0, caller.status(0));
    assertEquals(0, server.manager.refusals());
  }

  @Test
  void anUnknownFunctionIsRefused() throws Exception {
    caller.openWorker();
    caller.call(caller.number("secret"), id(1, 0), 4711, 0, 256);
    assertEquals(1 + Reason.UNKNOWN_FUNCTION.ordinal(), caller.status(0));
    assertEquals(1, server.manager.refusals());
  }

  @Test
  void writeWithoutCallEndsTheConnection() throws Exception {
    caller.openWorker();
    caller.input.writeNotify(8, Buffer.buffer(new byte[20]), 1);
    assertWords("contains an incomplete call", caller.refusal());
    assertThrows(ExecutionException.class, () -> {
      // Fails as soon as the region is closed.
      while (true) {
        await(caller.input.writeNotify(8, Buffer.buffer(new byte[20]), 1));
      }
    });
  }

  @Test
  void aForgedTicketIsRefused() {
    Future<?> refused = caller.connectWorker(RawCaller.ticket(caller.number("lease"), caller.number("secret") + 1));
    RdmaException cause = (RdmaException) assertThrows(ExecutionException.class, () -> await(refused)).getCause();
    assertEquals(RdmaException.Reason.REJECTED, cause.reason());
    assertWords("has ended, or was not granted by this server", cause.getMessage());
  }

  @Test
  void endedLeaseIsRefused() throws Exception {
    caller.openWorker();
    JsonObject ended = caller.endLease();
    assertEquals("LEASE_ENDED", ended.getString("reason"));
    assertEquals(1, ended.getJsonObject("bill").getInteger("workers"));
    assertWords("its client ended it", caller.refusal());
    Throwable late = assertThrows(ExecutionException.class,
      () -> await(caller.call(caller.number("secret"), id(1, 0), caller.functionId("echo"), 0, 256))).getCause();
    assertTrue(late instanceof RdmaException, late::toString);
    assertEquals(RdmaException.Reason.REJECTED,
      ((RdmaException) assertThrows(ExecutionException.class, () -> await(caller.connectWorker(caller.ticket()))).getCause()).reason());
    assertEquals(0, server.manager.refusals(), "late, not forged");
    assertThrows(ExecutionException.class, () -> await(caller.connectWorker(RawCaller.ticket(caller.number("lease"), 1))));
    assertEquals(1, server.manager.refusals());
    for (String op : new String[] {"renew", "bill", "end"}) {
      JsonObject refused = caller.ask(new JsonObject().put("op", op).put("lease", caller.granted.getString("lease")).put("millis", 1000));
      assertEquals("LEASE_ENDED", refused.getString("refused"));
      assertWords("has ended, or is not one of this client", refused.getString("words"));
    }
    assertEquals(3, server.manager.refusals(), "an end that comes late is none");
  }

  @Test
  void anotherClientsLeaseIsNotTouched() throws Exception {
    RawCaller other = RawCaller.connect(node().rdma);
    JsonObject refused = other.ask(new JsonObject().put("op", "end").put("lease", caller.granted.getString("lease")));
    assertEquals("LEASE_ENDED", refused.getString("refused"));
    caller.openWorker();
  }

  @Test
  void refusalDoesNotRepeatTheWholeRequest() throws Exception {
    String filler = "x".repeat(100_000);
    String words = caller.ask(new JsonObject().put("op", filler)).getString("words");
    assertWords("does not know the request 'xxx", words);
    assertEquals(1_024, words.length());
    words = caller.ask(new JsonObject().put("op", "bill").put("request", "one").put("filler", filler)).getString("words");
    assertWords("cannot read the request", words);
    assertEquals(1_024, words.length());
  }

  @Test
  void requestThatIsTooLongEndsItsConnection() {
    AtomicBoolean over = new AtomicBoolean();
    caller.manager.closeHandler(v -> over.set(true));
    caller.manager.write(new JsonObject().put("op", "dance").put("filler", "x".repeat(1 << 20)).toBuffer());
    until("the server has closed the connection", over::get);
    assertEquals(1, server.manager.refusals());
  }

  @Test
  void invalidRequestsAreRefused() throws Exception {
    assertEquals("PROTOCOL", caller.ask(new JsonObject().put("op", "dance")).getString("refused"));
    caller.manager.write(new JsonObject().put("op", "bill").put("request", "one").toBuffer());
    assertEquals("PROTOCOL", caller.answers.poll(20, TimeUnit.SECONDS).getString("refused"));
    assertEquals("PROTOCOL", caller.ask(new JsonObject().put("op", "lease")).getString("refused"));
    assertEquals("PROTOCOL", caller.lease(0, 1000).getString("refused"));
    assertEquals("NO_CAPACITY", caller.lease(7, 1000).getString("refused"));
  }
}
