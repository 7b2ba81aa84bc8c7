package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The holder of a lease gets no more of a server's memory and functions than it leased: 64 KiB, and four slots. */
@Timeout(60)
class LeaseBoundsTest extends Nodes {
  private static final int LARGE = 1_000_000;
  private static final int PART = 200_000;

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
      return invocation.write(Buffer.buffer(new byte[PART])).map(Buffer.buffer());
    });
  }

  @BeforeEach
  void start() throws Exception {
    server = manager(new FunctionServerOptions().setCores(1));
    caller = RawCaller.connect(node().rdma);
    caller.lease(1, 60_000);
    caller.openWorker();
  }

  private static long id(long sequence, int slot) {
    return sequence << 6 | slot;
  }

  private static Buffer arguments(char each, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) each);
    return Buffer.buffer(bytes);
  }

  private static void assertWords(String expected, String words) {
    assertTrue(words.contains(expected), words);
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
}
