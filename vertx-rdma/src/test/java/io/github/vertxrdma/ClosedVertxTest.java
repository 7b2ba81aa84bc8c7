package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection whose Vert.x was closed answers each call, and throws nothing at its caller. */
@Timeout(60)
class ClosedVertxTest extends FabricPair {
  @Override
  String fabric() {
    return "memory";
  }

  @Test
  void callsFailAndDoNotThrow() throws Exception {
    await(server.createServer().connectHandler(c -> { }).listen("gone"));
    Vertx goneVertx = vertx();
    RdmaConnection connection = await(Rdma.create(goneVertx, options()).connect("gone"));
    RdmaMessage message = await(connection.allocate(100_000));
    await(goneVertx.close());
    for (Future<?> failed : List.of(connection.write(Buffer.buffer("hello")), connection.write(message), connection.allocate(10),
      connection.end())) {
      assertTrue(failed.failed());
      assertEquals(Reason.CLOSED, assertInstanceOf(RdmaException.class, failed.cause()).reason());
    }
    assertFalse(connection.writeQueueFull());
    assertTrue(connection.close().succeeded());
    assertTrue(connection.shutdown(Duration.ofSeconds(1)).succeeded());
    connection.setBusyPoll(true);
  }
}
