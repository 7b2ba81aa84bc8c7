package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemoryConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "memory";
  }

  /** Each write fails, and so leaves room for the next one. */
  @Test
  void whoWritesOnAfterTheEndDoesNotFillTheStack() throws Exception {
    await(server.createServer().connectHandler(c -> { }).listen("gone"));
    RdmaConnection connection = await(client.connect("gone"));
    await(connection.close());
    connection.setWriteQueueMaxSize(1000);
    AtomicInteger writes = new AtomicInteger();
    AtomicInteger failures = new AtomicInteger();
    Promise<Void> enough = Promise.promise();
    int many = 20_000;
    connection.drainHandler(v -> {
      if (writes.incrementAndGet() == many) {
        enough.complete();
      } else {
        connection.write(Buffer.buffer(new byte[1000])).onFailure(e -> failures.incrementAndGet());
      }
    });
    connection.write(Buffer.buffer(new byte[1000]));
    await(enough.future());
    assertEquals(many - 1, failures.get());
  }
}
