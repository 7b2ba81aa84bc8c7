package io.github.vertxrdma.examples;

// tag::all[]
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OrdersTest {
  private final Vertx vertx = Vertx.vertx();
  private final Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("memory"));

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
  }

  @Test
  void anOrderIsConfirmed() throws Exception {
    await(rdma.createServer()
      .connectHandler(connection -> connection.handler(order -> connection.write(Buffer.buffer("ordered " + order))))
      .listen("orders"));
    RdmaConnection connection = await(rdma.connect("orders"));
    Promise<String> answer = Promise.promise();
    connection.handler(message -> answer.tryComplete(message.toString()));
    await(connection.write(Buffer.buffer("apples")));
    assertEquals("ordered apples", await(answer.future()));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
// end::all[]
