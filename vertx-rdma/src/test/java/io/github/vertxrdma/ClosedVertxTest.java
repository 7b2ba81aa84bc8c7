package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosedVertxTest extends FabricPair {
  @Test
  void callsFailAndDoNotThrow() throws Exception {
    await(server.createServer().connectHandler(c -> {}).listen("gone"));
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
    connection.handler(late -> {}).pause().resume().fetch(1).endHandler(v -> {}).exceptionHandler(cause -> {});
    connection.closeHandler(v -> {});
    connection.grantHandler(region -> {});
  }

  @Test
  void otherCallsFailOrSucceedWithoutThrowing() throws Exception {
    await(server.createServer().connectHandler(c -> {}).listen("gone"));
    await(server.createRegion(
      new RegionOptions().setName("theirs").setSize(64).setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
    Vertx goneVertx = vertx();
    Rdma gone = Rdma.create(goneVertx, options());
    RdmaServer listening = await(gone.createServer().connectHandler(c -> {}).listen("mine"));
    RdmaConnection connection = await(gone.connect("gone"));
    MemoryRegion mine = await(
      gone.createRegion(new RegionOptions().setName("mine").setSize(64).setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
    RemoteRegion theirs = await(gone.openRegion("theirs"));
    await(goneVertx.close());
    List<Future<?>> failed = List.of(gone.connect("gone"), gone.connect(SocketAddress.inetSocketAddress(1, "127.0.0.1")),
      gone.openRegion("theirs"), gone.directory(),
      gone.createRegion(new RegionOptions().setSize(64)), gone.fabrics(), gone.statistics(), gone.ping("gone"),
      gone.openDevice("memory"), gone.connectBus("gone"),
      gone.createServer().connectHandler(c -> {}).listen("mine"),
      Rdma.create(goneVertx, options()).connect("gone"), theirs.read(0, 8), theirs.write(0, Buffer.buffer("hello")),
      theirs.fetchAndAdd(56, 1),
      theirs.writeNotify(0, Buffer.buffer("hello"), 1), theirs.readRecord(0, 8),
      connection.grant(mine));
    for (Future<?> each : failed) {
      assertEquals(Reason.CLOSED, assertInstanceOf(RdmaException.class, toldOf(each).cause(), each.toString()).reason());
    }
    for (Future<?> each : List.of(gone.close(), listening.withdraw(), listening.close(), mine.close(), mine.revoke(), theirs.close())) {
      assertTrue(toldOf(each).succeeded(), () -> String.valueOf(each.cause()));
    }
    assertFalse(await(gone.health()).up());
    theirs.closeHandler(end -> {});
    mine.notificationHandler(notification -> {});
  }

  private static AsyncResult<?> toldOf(Future<?> future) {
    AtomicReference<AsyncResult<?>> told = new AtomicReference<>();
    future.onComplete(told::set);
    return assertInstanceOf(AsyncResult.class, told.get(), future.toString());
  }
}
