package io.github.vertxrdma.junit5.examples;

// tag::all[]
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.junit5.RdmaExtension;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(RdmaExtension.class)
class OrdersTest {
  @Test
  void anOrderIsConfirmed(Vertx vertx, Rdma rdma) throws Exception {
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
