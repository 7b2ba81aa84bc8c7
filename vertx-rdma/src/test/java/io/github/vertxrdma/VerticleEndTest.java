package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class VerticleEndTest extends FabricPair {
  private static final RdmaConnectOptions IMPATIENT = new RdmaConnectOptions().setLookupTimeout(Duration.ofMillis(300));

  private volatile Runnable asked = () -> {};

  private interface Making {
    /**
     * Makes an object on the caller's context.
     *
     * @return a future that completes at its end
     */
    Future<Future<?>> in(VerticleEndTest test, Rdma rdma);
  }

  private enum Made {
    SERVER((test, rdma) -> rdma.createServer().connectHandler(connection -> {}).listen("made")
      .map(made -> test.refused(() -> test.client.connect("made", IMPATIENT), Reason.NOT_FOUND))),
    ACCEPTED_CONNECTION((test, rdma) -> {
      Promise<Void> over = Promise.promise();
      return rdma.createServer().connectHandler(connection -> connection.closeHandler(over::complete)).listen("made")
        .compose(made -> test.server.connect("made")).map(over.future());
    }),
    CONNECTION((test, rdma) -> {
      Promise<Void> over = Promise.promise();
      return rdma.connect("echo").map(connection -> {
        connection.closeHandler(over::complete);
        return over.future();
      });
    }),
    REGION((test, rdma) -> {
      Promise<Void> over = Promise.promise();
      return rdma.createRegion(new RegionOptions().setName("made").setSize(64).setAccess(RegionAccess.READ))
        .compose(made -> test.server.openRegion("made")).map(opened -> {
          opened.closeHandler(end -> over.complete());
          return over.future();
        });
    }),
    OPENED_REGION((test, rdma) -> rdma.openRegion("memory").map(made -> test.refused(() -> made.read(0, 8), Reason.CLOSED))),
    BUS_CLIENT((test, rdma) -> rdma.connectBus("bus").map(made -> test.refused(() -> made.send("late"), Reason.CLOSED))),
    RDMA((test, rdma) -> {
      Rdma made = Rdma.create(test.clientVertx, test.options().setControlPortCount(2));
      return made.connect("echo").map(test.refused(() -> made.connect("echo"), Reason.CLOSED));
    });

    private final Making making;

    Made(Making making) {
      this.making = making;
    }
  }

  private Future<?> refused(Supplier<Future<?>> call, Reason reason) {
    asked = () -> assertEquals(reason, reason(call.get()));
    return Future.succeededFuture();
  }

  @ParameterizedTest
  @EnumSource(Made.class)
  void objectsOfAVerticleAreClosedWithIt(Made made) throws Exception {
    await(server.createServer().connectHandler(connection -> {}).listen("echo"));
    await(server.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    await(serverVertx.deployVerticle("rdma:bus", new DeploymentOptions().setConfig(
      new RdmaBusServiceOptions().setRdma(options()).toJson())));
    Promise<Future<?>> over = Promise.promise();
    String deployed = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return made.making.in(VerticleEndTest.this, client).onComplete(over);
      }
    }));
    await(clientVertx.undeploy(deployed));
    await(await(over.future()));
    asked.run();
    await(await(client.connect("echo")).close());
  }

  private <T> Future<T> calledAsAVerticleEnds(Supplier<Future<T>> call) throws Exception {
    Promise<Future<T>> late = Promise.promise();
    String deployed = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> stop() {
        late.complete(call.get());
        return Future.succeededFuture();
      }
    }));
    await(clientVertx.undeploy(deployed));
    return await(late.future());
  }

  @Test
  void objectsCreatedWhileAVerticleEndsAreClosedToo() throws Exception {
    Promise<Void> over = Promise.promise();
    await(server.createServer().connectHandler(connection -> connection.closeHandler(over::complete)).listen("echo"));
    await(calledAsAVerticleEnds(() -> client.connect("echo")).otherwiseEmpty());
    await(over.future());
  }

  @Test
  void deviceOpenedWhileAVerticleEndsIsClosedToo() throws Exception {
    assertEquals(Reason.CLOSED,
      reason(calledAsAVerticleEnds(() -> client.openDevice("memory")).compose(device -> device.until(() -> false))));
  }

  /** Nothing would end a search that begins after its owner was closed, and the close of the Vert.x would wait for it. */
  @Test
  void aBusClientOfAVerticleThatHasEndedIsRefused() throws Exception {
    Promise<Context> kept = Promise.promise();
    String deployed = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        kept.complete(context);
        return Future.succeededFuture();
      }
    }));
    await(clientVertx.undeploy(deployed));
    Promise<RdmaBusClient> late = Promise.promise();
    await(kept.future()).runOnContext(v -> client.connectBus("bus").onComplete(late));
    assertEquals(Reason.CLOSED, reason(late.future()));
    await(clientVertx.close());
  }

  @Test
  void busClientOfAClosedRdmaIsRefused() throws Exception {
    await(client.directory());
    await(client.close());
    assertEquals(Reason.CLOSED, reason(client.connectBus("bus")));
    await(clientVertx.close());
  }

  @Test
  void aServerClosesItsConnectionsAndNoOthers() throws Exception {
    RdmaServer kept = echo(server, "kept");
    RdmaServer closed = await(server.createServer().connectHandler(connection -> {}).listen("closed"));
    RdmaConnection living = await(client.connect("kept"));
    Promise<Void> over = Promise.promise();
    await(client.connect("closed")).closeHandler(over::complete);
    await(closed.close());
    await(over.future());
    await(kept.withdraw());
    assertEquals(Reason.NOT_FOUND, reason(client.connect("kept", IMPATIENT)));
    assertEchoes(living, Buffer.buffer("still here"));
    Promise<Void> second = Promise.promise();
    living.closeHandler(second::complete);
    await(kept.shutdown(Duration.ofSeconds(20)));
    await(second.future());
  }

  @Test
  void aServerThatListensAgainClosesConnectionsOfBefore() throws Exception {
    RdmaServer again = await(server.createServer().connectHandler(connection -> {}).listen("before"));
    Promise<Void> before = Promise.promise();
    await(client.connect("before")).closeHandler(before::complete);
    await(again.withdraw());
    await(again.listen("after"));
    Promise<Void> after = Promise.promise();
    await(client.connect("after")).closeHandler(after::complete);
    await(again.close());
    await(before.future());
    await(after.future());
  }

  @Test
  void closeAlsoEndsConnectionsOfAnEarlierListenThatAreStillClosing() throws Exception {
    Promise<RdmaConnection> accepted = Promise.promise();
    RdmaServer again = await(server.createServer().connectHandler(accepted::tryComplete).listen("before"));
    await(client.connect("before")).handler(message -> {}).pause();
    RdmaConnection before = await(accepted.future());
    Promise<Void> closed = Promise.promise();
    before.closeHandler(closed::complete);
    for (int i = 0; i < 100; i++) {
      before.write(Buffer.buffer(new byte[100_000]));
    }
    Future<Void> first = again.shutdown(Duration.ofHours(1));
    await(again.listen("after"));
    assertFalse(first.isComplete());
    await(again.shutdown(Duration.ZERO).otherwiseEmpty());
    await(closed.future());
  }

  @Test
  void handlersAreSetBeforeItListens() throws Exception {
    RdmaServer listening = await(server.createServer().connectHandler(connection -> {}).listen("strict"));
    assertThrows(IllegalStateException.class, () -> listening.connectHandler(connection -> {}));
    assertThrows(IllegalStateException.class, () -> listening.handshakeHandler(request -> {}));
    await(listening.close());
    await(listening.connectHandler(connection -> {}).listen("strict"));
  }

  @Test
  void acceptReturnsTheConnection() throws Exception {
    Promise<Future<RdmaConnection>> accepted = Promise.promise();
    AtomicReference<RdmaConnection> heard = new AtomicReference<>();
    await(server.createServer().handshakeHandler(request -> accepted.complete(request.accept())).connectHandler(heard::set).listen("asks"));
    await(client.connect("asks"));
    assertSame(await(await(accepted.future())), heard.get());
    Promise<Future<Void>> told = Promise.promise();
    await(
      server.createServer().handshakeHandler(request -> told.complete(request.reject("no"))).connectHandler(heard::set).listen("refuses"));
    assertEquals(Reason.REJECTED, reason(client.connect("refuses")));
    await(await(told.future()));
  }

  @Test
  void aHandshakeHandlerThatFailsRefuses() throws Exception {
    await(server.createServer().handshakeHandler(request -> {
      throw new IllegalStateException("on purpose");
    }).connectHandler(connection -> {}).listen("fails"));
    assertEquals(Reason.REJECTED, reason(client.connect("fails")));
    await(server.createServer().handshakeHandler(request -> {
      request.accept();
      throw new IllegalStateException("on purpose");
    }).connectHandler(connection -> {}).listen("accepts"));
    await(client.connect("accepts"));
  }

  @Test
  void everyCloseOfAnRdmaWaitsForItsEnd() throws Exception {
    await(client.directory());
    Future<Void> first = client.close();
    Future<Void> second = client.close();
    await(second);
    assertTrue(first.isComplete());
  }
}
