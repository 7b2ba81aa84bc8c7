package io.github.vertxrdma.impl.api;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaServerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.lang.ref.WeakReference;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClosingScopeTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void nothingIsKeptOfAVerticleThatHasEnded() throws Exception {
    ClosingScope opened = new ClosingScope();
    Promise<ContextInternal> verticle = Promise.promise();
    String deployed = await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        verticle.complete((ContextInternal) context);
        return Future.succeededFuture();
      }
    }));
    ContextInternal context = await(verticle.future());
    ClosingScope own = opened.of(context);
    assertSame(own, opened.of(context));
    assertFalse(own.isClosed());
    await(vertx.undeploy(deployed));
    assertTrue(own.isClosed());
    ClosingScope late = opened.of(context);
    assertTrue(late.isClosed());
    assertNotSame(late, opened.of(context), "it is kept");
  }

  @Test
  void closeWaitsForResourcesOfAVerticleThatIsBeingUndeployed() throws Exception {
    ClosingScope all = new ClosingScope();
    Promise<Void> begun = Promise.promise();
    Promise<Void> closing = Promise.promise();
    String deployed = await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        all.of((ContextInternal) context).add(() -> {
          begun.tryComplete();
          return closing.future();
        });
        return Future.succeededFuture();
      }
    }));
    Future<Void> undeployed = vertx.undeploy(deployed);
    await(begun.future());
    Future<Void> closed = all.close();
    assertFalse(closed.isComplete());
    closing.complete();
    await(undeployed);
    await(closed);
  }

  @Test
  void aServerThatCouldNotListenIsForgotten() {
    ClosingScope opened = new ClosingScope();
    WeakReference<RdmaServerImpl> server = failed(opened);
    until("it is forgotten", () -> {
      System.gc();
      return server.get() == null;
    });
    assertFalse(opened.isClosed());
  }

  private WeakReference<RdmaServerImpl> failed(ClosingScope opened) {
    RdmaServerImpl server = new RdmaServerImpl((VertxInternal) vertx, new RdmaServerOptions(), () -> Future.failedFuture("no node"),
      opened);
    assertThrows(ExecutionException.class, () -> await(server.connectHandler(connection -> {}).listen("orders")));
    return new WeakReference<>(server);
  }
}
