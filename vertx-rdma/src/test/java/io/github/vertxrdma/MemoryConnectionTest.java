package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemoryConnectionTest extends FabricPair {
  @Test
  void aHandshakeThatDoesNotEndSaysWhatItLacks() throws Exception {
    CountDownLatch standing = new CountDownLatch(1);
    Promise<Void> stands = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      stands.complete();
      try {
        standing.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }).listen("busy"));
    client.connect("busy");
    await(stands.future());
    Vertx hastyVertx = vertx();
    try {
      Rdma hasty = Rdma.create(hastyVertx, options().setConnectTimeout(Duration.ofMillis(300)));
      Throwable cause = assertThrows(ExecutionException.class, () -> await(hasty.connect("busy"))).getCause();
      assertEquals(Reason.UNREACHABLE, ((RdmaException) cause).reason());
      assertTrue(cause.getMessage().contains("in 300 ms: the fabric has not connected"), cause.getMessage());
    } finally {
      standing.countDown();
      await(hastyVertx.close());
    }
  }

  @Test
  void aShutdownAfterThePeerHasGoneWaitsForItsLastWordOnly() throws Exception {
    Promise<Void> gone = Promise.promise();
    await(
      server.createServer().connectHandler(c -> c.closeHandler(gone::complete).handler(m -> c.shutdown(Duration.ZERO))).listen("hasty"));
    RdmaConnection connection = await(client.connect("hasty"));
    Promise<Throwable> why = Promise.promise();
    connection.exceptionHandler(why::tryComplete);
    connection.closeHandler(v -> why.tryComplete());
    await(connection.write(Buffer.buffer("go")));
    await(gone.future());
    // Calls repeatedly, so that one call comes after the report of the end.
    until("it ends", () -> {
      connection.shutdown(Duration.ofMinutes(1));
      return why.future().isComplete();
    });
    // On a busy machine both sides may have agreed to close before the peer's timeout of 0.
    Throwable cause = await(why.future());
    assertTrue(cause == null || cause.getMessage().contains("the peer disconnected"), () -> cause.getMessage());
  }

  @Test
  void writesAfterTheEndDoNotOverflowTheStack() throws Exception {
    await(server.createServer().connectHandler(c -> {}).listen("gone"));
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

  /** The queue may drain while a worker still sees it full. */
  @Test
  void drainHandlerIsCalledIfTheQueueDrainedBeforeItWasSet() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(m -> {})).listen("quick"));
    Promise<Void> drained = Promise.promise();
    await(clientVertx.deployVerticle(new AbstractVerticle() {
      @Override
      public void start(Promise<Void> started) {
        client.connect("quick").<Void>map(c -> {
          c.setWriteQueueMaxSize(1000);
          Future<Void> written = c.write(Buffer.buffer(new byte[1000]));
          until("it is written", written::isComplete);
          c.drainHandler(v -> drained.complete());
          return null;
        }).onComplete(started);
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER)));
    await(drained.future());
  }

  @Test
  void closeOfAnRdmaLeavesObjectsOfAnotherOneOfTheSameNode() throws Exception {
    Rdma one = Rdma.create(serverVertx, options());
    Promise<Void> cut = Promise.promise();
    echo(server, "stays");
    echo(one, "goes");
    await(client.connect("goes")).closeHandler(v -> cut.complete());
    RdmaConnection stays = await(client.connect("stays"));
    await(one.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    await(one.close());
    await(cut.future());
    assertEchoes(stays, Buffer.buffer("here"));
    assertEquals(0, await(server.directory()).regions().size());
    assertEquals(Reason.CLOSED, reason(one.connect("stays")));
  }

  @Test
  void queueThatIsFullAfterALowerBoundDrainsToo() throws Exception {
    Promise<RdmaConnection> accepted = Promise.promise();
    await(server.createServer().connectHandler(c -> accepted.complete(c.handler(m -> {}).pause())).listen("lowered"));
    Promise<Void> drained = Promise.promise();
    RdmaConnection connection = await(client.connect("lowered")).setWriteQueueMaxSize(1 << 30).drainHandler(v -> drained.tryComplete());
    for (int i = 0; i < 300; i++) {
      connection.write(Buffer.buffer(new byte[10_000]));
    }
    connection.setWriteQueueMaxSize(100_000);
    assertTrue(connection.writeQueueFull());
    await(accepted.future()).resume();
    await(drained.future());
  }
}
