package io.github.vertxrdma.impl.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers on a worker pool of a verticle's own, which ends with it: whoever tells them goes on. */
@Timeout(60)
class CallbacksTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final Promise<Integer> result = Promise.promise();
  private ContextInternal worker;
  private Promise<Integer> first;
  private Promise<Integer> second;
  private Future<Integer> third;
  private volatile boolean heard;

  @BeforeEach
  void endWorker() throws Exception {
    String deployed = Await.await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        worker = (ContextInternal) context;
        first = Callbacks.promise(CallbacksTest.this.vertx);
        second = Callbacks.promise(worker);
        third = Callbacks.on(worker, result.future());
        for (Future<Integer> each : new Future[] {first.future(), second.future(), third}) {
          each.onComplete(done -> heard = true);
        }
        return Future.succeededFuture();
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER).setWorkerPoolName("own")));
    Await.await(vertx.undeploy(deployed));
  }

  @AfterEach
  void close() throws Exception {
    Await.await(vertx.close());
  }

  @Test
  void nobodyIsHarmed() {
    int[] others = new int[1];
    result.future().onSuccess(value -> others[0] = value);
    first.complete(1);
    second.fail("no");
    result.complete(2);
    Callbacks.run(worker, () -> heard = true);
    Callbacks.emit(worker, 3, event -> heard = true);
    assertEquals(2, others[0]);
    assertFalse(heard);
  }
}
