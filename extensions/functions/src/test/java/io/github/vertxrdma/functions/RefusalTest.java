package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server refuses what its clients may not do. The holder of a lease gets no more of its memory and functions than the lease grants:
 * 64 KiB and four slots.
 */
@Timeout(120)
class RefusalTest extends Nodes {
  private static final int PART = 4_096;
  private static final int ALL_PARTS = 64 << 20;
  private static final int LARGE = 1_000_000;
  private static final int LARGE_PART = 200_000;

  /** Bytes of parts that a function could write before it had to wait. */
  private final Promise<Integer> ahead = Promise.promise();
  private final Queue<Promise<Buffer>> endless = new ConcurrentLinkedQueue<>();
  private final AtomicInteger ran = new AtomicInteger();
  private Node server;
  private RawCaller caller;
  private String refusal;

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("endless", ON_LOOP, invocation -> {
      Promise<Buffer> promise = Promise.promise();
      endless.add(promise);
      return promise.future();
    });
    registry.register("large", ON_LOOP, invocation -> {
      ran.incrementAndGet();
      return Future.succeededFuture(Buffer.buffer(new byte[LARGE]));
    });
    registry.register("part", ON_LOOP, invocation -> {
      ran.incrementAndGet();
      return invocation.write(Buffer.buffer(new byte[LARGE_PART])).map(Buffer.buffer());
    });
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
    caller.openWorker();
  }

  private static void assertWords(String expected, String words) {
    assertTrue(words.contains(expected), words);
  }

  private static long id(long sequence, int slot) {
    return sequence << 6 | slot;
  }

  @Test
  void forgedInvocationsAreRefused() throws Exception {
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
    AtomicBoolean over = paused();
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
    until("all are answered", 60, () -> caller.answers.size() == asked);
    assertEquals(asked, server.manager.refusals());
  }

  /** A call that is written in parts can be overtaken. */
  @Test
  void aCallThatComesAfterItsCancellationDoesNotRun() throws Exception {
    caller.worker.write(Buffer.buffer().appendByte((byte) 2).appendLongLE(id(1, 0)));
    caller.callByMessage(caller.number("secret"), id(1, 0), caller.functionId("echo"), 0, 256);
    assertEquals(1 + Reason.CANCELLED.ordinal(), caller.status(0));
    caller.callByMessage(caller.number("secret"), id(2, 0), caller.functionId("echo"), 0, 256);
    assertEquals(0, caller.status(0));
    assertEquals(0, server.manager.refusals());
  }

  @Test
  void anUnknownFunctionIsRefused() throws Exception {
    caller.call(caller.number("secret"), id(1, 0), 4711, 0, 256);
    assertEquals(1 + Reason.UNKNOWN_FUNCTION.ordinal(), caller.status(0));
    assertEquals(1, server.manager.refusals());
  }

  @Test
  void writeWithoutCallEndsTheConnection() throws Exception {
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
    caller.slots = 65;
    caller.memory = 1 << 20;
    JsonObject manySlots = caller.lease(7, 1000);
    assertEquals("PROTOCOL", manySlots.getString("refused"));
    assertWords("use at least one worker, 1 to 64 slots", manySlots.getString("words"));
  }

  private static Buffer arguments(char each, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) each);
    return Buffer.buffer(bytes);
  }

  @Test
  void callsUnderWayHaveNoMoreBytesThanTheLease() throws Exception {
    int never = caller.functionId("never");
    caller.worker.write(caller.append(RawCaller.message(), id(1, 0), never, arguments('a', 1 << 20)));
    assertWords("it has 1048624 bytes, and calls in progress use 0 of the 65536 bytes", caller.refusal());
    caller.input.writeNotify(0, caller.append(Buffer.buffer(), id(2, 0), never, arguments('b', 40_000)), id(2, 0));
    until("it runs", () -> begun.size() == 1);
    caller.input.writeNotify(0, caller.append(Buffer.buffer(), id(3, 1), never, arguments('c', 40_000)), id(3, 1));
    assertWords("it has 40048 bytes, and calls in progress use 40048 of the 65536 bytes", caller.refusal());
    caller.worker.write(caller.append(RawCaller.message(), id(4, 1), never, arguments('d', 40_000)));
    assertWords("it has 40048 bytes, and calls in progress use 40048 of the 65536 bytes", caller.refusal());
    assertEquals(3, server.manager.refusals());
    caller.cancel(id(2, 0));
    assertEquals(1 + Reason.CANCELLED.ordinal(), caller.status(0));
    caller.input.writeNotify(0, caller.append(Buffer.buffer(), id(5, 1), never, arguments('e', 40_000)), id(5, 1));
    until("it runs", () -> begun.size() == 2);
  }

  @Test
  void aCallDoesNotHoldTheOthersOfItsMessage() throws Exception {
    int never = caller.functionId("never");
    Buffer batch = caller.append(RawCaller.message(), id(1, 0), never, arguments('a', 8));
    caller.worker.write(caller.append(batch, id(2, 1), never, arguments('b', 1 << 20)));
    assertWords("it has 1048624 bytes", caller.refusal());
    until("the other one runs", () -> begun.containsKey("aaaaaaaa"));
    int held = ((BufferInternal) begun.get("aaaaaaaa").arguments()).unwrap().array().length;
    assertTrue(held < 1_000, held + " bytes for arguments of 8");
  }

  /**
   * Sends a call and cancels it.
   * @return whether the worker accepted the call
   */
  private boolean isTaken(long id, int function, Buffer arguments) {
    caller.worker.write(caller.append(RawCaller.message(), id, function, arguments));
    caller.cancel(id);
    refusal = null;
    until("it is answered", () -> {
      for (Buffer message; refusal == null && (message = caller.messages.poll()) != null;) {
        refusal = message.getByte(0) == 3 ? message.getString(10, message.length()) : null;
      }
      return refusal != null || caller.results.remove((Object) id);
    });
    return refusal == null;
  }

  @Test
  void callsThatAreGivenUpAreBoundedWhileTheirFunctionsGoOn() throws Exception {
    int function = caller.functionId("endless");
    int calls = 1;
    while (calls <= 10_000 && isTaken(id(calls, 0), function, Buffer.buffer())) {
      calls++;
    }
    assertEquals(256 + 4 * 4, calls - 1);
    assertEquals(calls - 1, endless.size());
    assertWords("272 calls with 13056 bytes of arguments", refusal);
    caller.openWorker();
    assertFalse(isTaken(id(1, 0), function, Buffer.buffer()));
    endless.forEach(promise -> promise.complete(Buffer.buffer()));
    int[] next = {2};
    until("their functions have ended", () -> isTaken(id(next[0]++, 0), function, Buffer.buffer()));
    assertEquals(calls, endless.size());
  }

  @Test
  void argumentsOfCallsThatAreGivenUpAreBounded() throws Exception {
    int function = caller.functionId("endless");
    int calls = 1;
    while (calls <= 100 && isTaken(id(calls, 0), function, arguments('a', 40_000))) {
      calls++;
    }
    assertEquals(7, calls - 1);
    assertWords("7 calls with 280336 bytes of arguments", refusal);
  }

  @Test
  void aWorkerIsNotFreeWhileFunctionsOfAnEndedLeaseGoOn() throws Exception {
    int function = caller.functionId("endless");
    for (int i = 0; i < 4; i++) {
      caller.worker.write(caller.append(RawCaller.message(), id(i + 1, i), function, arguments('a', 8)));
    }
    until("they run", () -> endless.size() == 4);
    caller.endLease();
    assertEquals("NO_CAPACITY", caller.lease(1, 60_000).getString("refused"));
    assertEquals(0, server.manager.freeCores());
    assertEquals(FunctionServerOptions.DEFAULT_MEMORY - 65_536, server.manager.freeMemory());
    endless.forEach(promise -> promise.complete(Buffer.buffer()));
    until("the worker is free", () -> server.manager.freeCores() == 1);
    assertEquals(FunctionServerOptions.DEFAULT_MEMORY, server.manager.freeMemory());
    assertNull(caller.lease(1, 60_000).getString("refused"));
  }

  private long inputBytes() throws Exception {
    return await(server.rdma.statistics()).regions().stream().filter(region -> region.name().isEmpty()).mapToLong(RegionStatistics::size)
      .sum();
  }

  @Test
  void aHolderThatConnectsAgainHasOneInputRegion() throws Exception {
    for (int i = 0; i < 2; i++) {
      // The earlier connection closes late, because answers wait for the caller.
      caller.worker.pause();
      long refusals = server.manager.refusals();
      for (int call = 0; call < 100; call++) {
        caller.callByMessage(0, id(1, 0), 0, 0, 256);
      }
      until("they are refused", () -> server.manager.refusals() == refusals + 100);
      caller.openWorker();
      assertEquals(65_536, inputBytes());
    }
  }

  /**
   * Stops the caller from reading.
   * @return set to true when the worker closes the connection
   */
  private AtomicBoolean paused() {
    AtomicBoolean over = new AtomicBoolean();
    caller.worker.closeHandler(v -> over.set(true));
    caller.worker.pause();
    return over;
  }

  @Test
  void resultsThatAreNotTakenAreBoundedByTheirBytes() throws Exception {
    caller.endLease();
    until("the worker is free", () -> server.manager.freeCores() == 1);
    caller.messageSize = 1 << 20;
    caller.outputSize = 1 << 20;
    caller.lease(1, 60_000);
    caller.openWorker();
    AtomicBoolean over = paused();
    int function = caller.functionId("large");
    for (int i = 1; i <= 300; i++) {
      caller.worker.write(caller.append(RawCaller.message(), id(i, 0), function, Buffer.buffer(), LARGE));
    }
    until("the worker has closed the connection", over::get);
    assertTrue(ran.get() <= 30, ran + " results");
  }

  @Test
  void partsThatAreNotTakenAreBoundedByTheirBytes() throws Exception {
    AtomicBoolean over = paused();
    int function = caller.functionId("part");
    for (int i = 1; i <= 1_000; i++) {
      caller.callByMessage(caller.number("secret"), id(i, 0), function, 0, 256, 1 << 20);
    }
    until("the worker has closed the connection", over::get);
    assertTrue(ran.get() <= 100, ran + " parts");
  }

  @Test
  void callsThatDidNotBeginAreNotCounted() throws Exception {
    int hold = caller.functionId("hold");
    caller.worker.write(caller.append(RawCaller.message(), id(1, 1), hold, arguments('a', 8)));
    until("it runs", () -> begun.containsKey("aaaaaaaa"));
    for (int i = 2; i <= 400; i++) {
      assertTrue(isTaken(id(i, 0), hold, arguments('b', 8)), "call " + i);
    }
    letGo("aaaaaaaa");
  }

  @Test
  void invalidCallInMessageHoldsNoCore() throws Exception {
    Buffer batch = caller.append(RawCaller.message(), id(1, 0), caller.functionId("echo"), arguments('a', 8));
    caller.worker.write(batch.appendLong(0));
    assertWords("a message of", caller.refusal());
    caller.endLease();
    until("the worker is free", () -> server.manager.freeCores() == 1);
    assertEquals(FunctionServerOptions.DEFAULT_MEMORY, server.manager.freeMemory());
  }

  @Test
  void restartedServerRefusesOldLeases() throws Exception {
    Buffer old = caller.ticket();
    String gone = RawCaller.managerName(server.rdma);
    await(server.manager.close());
    server.manager = FunctionServer.create(server.rdma, new FunctionServerOptions().setCores(1));
    register(server.manager);
    await(server.manager.listen());
    Node client = node();
    until("the new server is known", () -> managerName(client) != null && !managerName(client).equals(gone));
    RawCaller again = RawCaller.connect(client.rdma);
    again.lease(1, 60_000);
    Future<RdmaConnection> refused = again.connectWorker(old);
    RdmaException cause = (RdmaException) assertThrows(ExecutionException.class, () -> await(refused)).getCause();
    assertWords("was not granted by this server since it started", cause.getMessage());
  }

  private static String managerName(Node node) {
    try {
      return RawCaller.managerName(node.rdma);
    } catch (Exception e) {
      return null;
    }
  }

  @Test
  void laterConnectionOfALeaseReplacesTheFirst() throws Exception {
    caller.call(caller.number("secret"), 1 << 6, caller.functionId("never"), 0, 256);
    RdmaConnection first = caller.worker;
    caller.openWorker();
    assertWords("has connected again", caller.refusal());
    assertTrue(first != caller.worker);
    caller.call(caller.number("secret"), 1 << 6, caller.functionId("echo"), 0, 256);
    assertEquals(0, caller.status(0));
  }
}
