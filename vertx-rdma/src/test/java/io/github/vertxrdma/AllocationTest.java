package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.support.Allocated;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Heap bytes that a message costs writer and reader together after compilation, with both ends on one event loop. */
@OverFabrics({"nio", "shm", "verbs:nic"})
@Tag("alone")
@Timeout(120)
class AllocationTest extends FabricPair {
  private static final int MESSAGES = 100_000;
  private static final int SIZE = 64;
  private static final int COMPILED_MILLIS = Math.max(80_000, Await.PATIENCE_MILLIS);
  private static final double BUFFER = costOfBuffer();
  private static final int HANDLE = 32;

  private final Buffer message = Buffer.buffer(new byte[SIZE]);
  private Promise<Double> round;
  private int left;
  private long before;

  private static double costOfBuffer() {
    Buffer[] buffers = new Buffer[10_000];
    long before = Allocated.byThisThread();
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = BufferInternal.buffer(new HeapBuffer(new byte[SIZE]));
    }
    return (double) (Allocated.byThisThread() - before) / buffers.length;
  }

  @Override
  VertxOptions vertxOptions() {
    return super.vertxOptions().setEventLoopPoolSize(1);
  }

  @Override
  Vertx vertx() {
    return serverVertx == null ? super.vertx() : serverVertx;
  }

  /** @param listen lets a connection receive messages, and answer each */
  private void assertCosts(double most, BiConsumer<RdmaConnection, Runnable> listen) throws Exception {
    await(server.createServer().connectHandler(c -> listen.accept(c, () -> c.write(message))).listen("echo"));
    RdmaConnection connection = await(client.connect("echo"));
    listen.accept(connection, () -> {
      left -= 2;
      if (left > 0) {
        connection.write(message);
      } else {
        round.complete((double) (Allocated.byThisThread() - before) / MESSAGES);
      }
    });
    double[] cost = {0};
    try {
      until("a message costs no more", () -> {
        cost[0] = cost(connection);
        return cost[0] < most + 1;
      }, COMPILED_MILLIS);
    } catch (AssertionError e) {
      throw new AssertionError("a message cost " + cost[0] + " bytes in place of " + most, e);
    }
  }

  private double cost(RdmaConnection connection) {
    Promise<Double> done = Promise.promise();
    serverVertx.runOnContext(v -> {
      round = done;
      left = MESSAGES;
      before = Allocated.byThisThread();
      connection.write(message);
    });
    return result(done.future());
  }

  @Test
  void aBufferCostsItself() throws Exception {
    assertCosts(BUFFER, (connection, answer) -> connection.handler(buffer -> answer.run()));
  }

  @Test
  void messageReadInPlaceCostsItsHandle() throws Exception {
    assertCosts(HANDLE, (connection, answer) -> connection.messageHandler(received -> {
      assertEquals(SIZE, received.segment().byteSize());
      answer.run();
    }));
  }

  @Test
  void retainedMessageCostsItsHandleAndItsBuffer() throws Exception {
    assertCosts(BUFFER + HANDLE, (connection, answer) -> connection.messageHandler(received -> {
      received.retain().release();
      answer.run();
    }));
  }
}
