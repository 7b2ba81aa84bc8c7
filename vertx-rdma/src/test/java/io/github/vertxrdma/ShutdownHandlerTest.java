package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class ShutdownHandlerTest extends FabricPair {
  private static final Duration TIME = Duration.ofSeconds(20);

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final Promise<Void> closed = Promise.promise();
  private volatile Context context;
  private volatile RdmaConnection connection;
  private volatile RdmaServer listening;
  private volatile String deployed;

  private enum Owner {
    CONNECTION(test -> test.connection.shutdown(TIME)),
    SERVER(test -> test.listening.close()),
    SERVER_IN_TIME(test -> test.listening.shutdown(TIME)),
    RDMA(test -> test.server.close()),
    VERTX(test -> test.serverVertx.close()),
    VERTICLE(test -> test.serverVertx.undeploy(test.deployed)),
    WORKER_VERTICLE(ThreadingModel.WORKER, VERTICLE.end),
    VIRTUAL_THREAD_VERTICLE(ThreadingModel.VIRTUAL_THREAD, VERTICLE.end),
    ALL(test -> Future.join(Stream.of(CONNECTION, SERVER, VERTICLE, RDMA, VERTX).map(owner -> owner.end.apply(test)).toList()));

    final ThreadingModel threading;
    final Function<ShutdownHandlerTest, Future<?>> end;

    Owner(Function<ShutdownHandlerTest, Future<?>> end) {
      this(ThreadingModel.EVENT_LOOP, end);
    }

    Owner(ThreadingModel threading, Function<ShutdownHandlerTest, Future<?>> end) {
      this.threading = threading;
      this.end = end;
    }
  }

  private void watch(RdmaConnection accepted) {
    accepted.shutdownHandler(left -> {
      heard.add("shutdown");
      assertSame(context, Vertx.currentContext());
      assertTrue(left.toNanos() > 0 && left.compareTo(TIME) <= 0, left.toString());
      accepted.write(Buffer.buffer("goodbye"));
    }).closeHandler(v -> {
      heard.add("close");
      closed.complete();
    }).exceptionHandler(cause -> heard.add(cause.toString())).endHandler(v -> heard.add("end")).handler(message -> {});
    connection = accepted;
  }

  @Override
  RdmaOptions options() {
    return super.options().setCloseTimeout(TIME);
  }

  private RdmaConnection serve(ThreadingModel threading) throws Exception {
    Promise<Void> accepting = Promise.promise();
    deployed = await(serverVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        ShutdownHandlerTest.this.context = context;
        return server.createServer().connectHandler(accepted -> {
          watch(accepted);
          accepting.complete();
        }).listen("served").onSuccess(made -> listening = made);
      }
    }, new DeploymentOptions().setThreadingModel(threading)));
    RdmaConnection peer = await(client.connect("served"));
    await(accepting.future());
    return peer;
  }

  @ParameterizedTest
  @EnumSource(Owner.class)
  void shutdownHandlerIsCalledOnceBeforeTheEnd(Owner owner) throws Exception {
    RdmaConnection peer = serve(owner.threading);
    Promise<Buffer> last = Promise.promise();
    Promise<Void> end = Promise.promise();
    peer.shutdownHandler(left -> last.fail("the other side closes")).exceptionHandler(end::fail).endHandler(end::complete)
      .handler(last::complete);
    await(owner.end.apply(this));
    await(closed.future());
    assertEquals("goodbye", await(last.future()).toString());
    await(end.future());
    assertEquals(List.of("shutdown", "end", "close"), heard);
  }

  @Test
  void aCloseThatTheHandlerBeginsIsTheOnlyOne() throws Exception {
    serve(ThreadingModel.EVENT_LOOP);
    Promise<Future<Void>> inner = Promise.promise();
    connection.shutdownHandler(left -> {
      heard.add("shutdown");
      inner.complete(connection.shutdown(left));
    });
    await(connection.shutdown(TIME));
    await(await(inner.future()));
    await(closed.future());
    assertEquals(List.of("shutdown", "end", "close"), heard);
  }

  @Test
  void aHandlerThatThrowsHoldsNothingUp() throws Exception {
    serve(ThreadingModel.EVENT_LOOP);
    Promise<Throwable> reported = Promise.promise();
    context.exceptionHandler(reported::complete);
    connection.shutdownHandler(left -> {
      throw new IllegalStateException("no goodbye");
    });
    await(connection.shutdown(TIME));
    assertEquals("no goodbye", await(reported.future()).getMessage());
    await(closed.future());
  }

  @Test
  void shutdownHandlerIsNotCalledForOtherEnds() throws Exception {
    RdmaConnection peer = serve(ThreadingModel.EVENT_LOOP);
    await(peer.close());
    await(closed.future());
    await(connection.shutdown(TIME));
    assertFalse(heard.contains("shutdown"), heard.toString());
  }

  @Test
  void aTimeWithoutEndIsOne() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("patient"));
    await(await(client.connect("patient")).shutdown(ChronoUnit.FOREVER.getDuration()));
  }
}
