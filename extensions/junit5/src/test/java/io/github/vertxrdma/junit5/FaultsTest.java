package io.github.vertxrdma.junit5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(RdmaExtension.class)
class FaultsTest {
  // tag::cut[]
  @Test
  void connectSucceedsAgainWhenNodesAreJoined(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(fabric.node("warehouse").createServer().connectHandler(connection -> {}).listen("orders"));
    RdmaConnection connection = await(rdma.connect("orders"));
    Promise<Throwable> broken = Promise.promise();
    connection.exceptionHandler(broken::complete);

    fabric.cut(RdmaTestFabric.TEST, "warehouse");
    assertEquals(RdmaException.Reason.CONNECTION_LOST, ((RdmaException) await(broken.future())).reason());
    assertThrows(ExecutionException.class, () -> await(rdma.connect("orders")));

    fabric.join(RdmaTestFabric.TEST, "warehouse");
    await(rdma.connect("orders"));
  }
  // end::cut[]

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
