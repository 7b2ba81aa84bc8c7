package io.github.vertxrdma.junit5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(RdmaExtension.class)
class RdmaTestFabricTest {
  private static Promise<Throwable> failure(RdmaConnection connection) {
    Promise<Throwable> failure = Promise.promise();
    connection.exceptionHandler(failure::complete);
    return failure;
  }

  private static Future<?> echo(Rdma node, String name) {
    return node.createServer().connectHandler(connection -> connection.handler(connection::write)).listen(name);
  }

  private static List<String> answers(RdmaConnection connection, int count) throws Exception {
    List<String> answers = new ArrayList<>();
    Promise<Void> all = Promise.promise();
    connection.handler(message -> {
      answers.add(message.toString());
      if (answers.size() == count) {
        all.complete();
      }
    });
    for (int i = 0; i < count; i++) {
      connection.write(Buffer.buffer("" + i));
    }
    await(all.future());
    return answers;
  }

  @Test
  void nodesAreMadeOnce(Vertx vertx, Rdma rdma, RdmaTestFabric fabric) {
    assertSame(rdma, fabric.node(RdmaTestFabric.TEST));
    assertSame(vertx, fabric.vertx(RdmaTestFabric.TEST));
    assertNotSame(vertx, fabric.vertx("other"));
    assertSame(fabric.node("other"), fabric.node("other"));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> fabric.cut("other", "nobody")).getMessage().contains("'nobody'"));
    assertThrows(IllegalArgumentException.class, () -> fabric.cut("other", "other"));
  }

  @Test
  void cutEndsOnlyConnectionsBetweenBothNodes(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(echo(fabric.node("b"), "b"));
    await(echo(fabric.node("c"), "c"));
    RdmaConnection toB = await(rdma.connect("b"));
    RdmaConnection toC = await(rdma.connect("c"));
    assertEquals("b", toB.remoteNodeName());
    Promise<Throwable> broken = failure(toB);
    fabric.cut("b", RdmaTestFabric.TEST);
    assertEquals(Reason.CONNECTION_LOST, reason(await(broken.future())));
    assertEquals(List.of("0", "1", "2"), answers(toC, 3));
    await(fabric.node("c").connect("b"));
    Promise<Throwable> refused = Promise.promise();
    rdma.connect("b").onFailure(refused::complete);
    await(refused.future());
    fabric.join(RdmaTestFabric.TEST, "b");
    assertEquals(List.of("0"), answers(await(rdma.connect("b")), 1));
  }

  @Test
  void killedNodeIsReplacedByAnother(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    Promise<NodeEntry> down = Promise.promise();
    await(echo(fabric.node("b"), "b"));
    await(rdma.directory()).watchNodes(event -> {
      if (event.type() == DirectoryEvent.Type.REMOVED) {
        down.tryComplete((NodeEntry) event.entry());
      }
    });
    await(fabric.node("b").createRegion(new RegionOptions().setName("table").setSize(64).setAccess(RegionAccess.READ)));
    Promise<RegionEnd> lost = Promise.promise();
    await(rdma.openRegion("table")).closeHandler(lost::complete);
    Promise<Throwable> broken = failure(await(rdma.connect("b")));
    fabric.kill("b");
    assertEquals(Reason.CONNECTION_LOST, reason(await(broken.future())));
    assertEquals(RegionEnd.CONNECTION_LOST, await(lost.future()));
    assertEquals("b", await(down.future()).name());
    await(echo(fabric.node("b"), "again"));
    assertEquals(List.of("0"), answers(await(rdma.connect("again")), 1));
  }

  @Test
  void aDelayTakesItsTimeAndKeepsTheOrder(Rdma rdma, RdmaTestFabric fabric) throws Exception {
    await(echo(fabric.node("b"), "b"));
    RdmaConnection connection = await(rdma.connect("b"));
    fabric.delay(Duration.ofMillis(50));
    long start = System.nanoTime();
    assertEquals(List.of("0", "1", "2", "3", "4"), answers(connection, 5));
    long took = System.nanoTime() - start;
    assertTrue(took >= TimeUnit.MILLISECONDS.toNanos(100), took + " ns for 50 ms there and 50 ms back");
    fabric.delay(Duration.ZERO);
    await(connection.close());
  }

  private static Reason reason(Throwable failure) {
    return assertInstanceOf(RdmaException.class, failure).reason();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
