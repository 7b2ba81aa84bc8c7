package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoopCallTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final EventLoop loop = vertx.createEventLoopContext().nettyEventLoop();
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private static void end(EventLoop loop) throws InterruptedException {
    assertTrue(loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS));
  }

  private ContextInternal endedWorker() throws Exception {
    Promise<ContextInternal> worker = Promise.promise();
    String deployed = await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        worker.complete((ContextInternal) context);
        return Future.succeededFuture();
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER).setWorkerPoolName("own")));
    await(vertx.undeploy(deployed));
    return worker.future().result();
  }

  private ContextInternal otherLoop() {
    ContextInternal context = vertx.createEventLoopContext();
    return context.nettyEventLoop() == loop ? vertx.createEventLoopContext() : context;
  }

  private static Throwable failure(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  private static void assertClosed(Future<?> future) {
    assertEquals(Reason.CLOSED, ((RdmaException) failure(future)).reason());
  }

  /** The event loops of a closing Vert.x end one after the other, so a result may come from a loop that ends later. */
  @Test
  void resultForContextWhoseLoopHasEndedIsDropped() throws Exception {
    ContextInternal other = vertx.createEventLoopContext();
    ContextInternal caller = vertx.createEventLoopContext();
    assertNotSame(other.nettyEventLoop(), caller.nettyEventLoop());
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    other.exceptionHandler(failures::add);
    Promise<Integer> promise = other.promise();
    LoopCall.result(caller, promise.future()).onComplete(done -> calls.incrementAndGet());
    end(caller.nettyEventLoop());
    promise.complete(1);
    await(promise.future());
    assertEquals(List.of(), failures);
    assertEquals(0, calls.get());
  }

  @Test
  void callFailsWhenLoopHasEnded() throws Exception {
    end(loop);
    assertClosed(LoopCall.on(loop, () -> Future.succeededFuture(calls.incrementAndGet())));
    assertClosed(LoopCall.on(loop, otherLoop(), promise -> promise.complete(calls.incrementAndGet())));
    assertClosed(LoopCall.<Integer>on(loop, Promise.promise(), promise -> promise.complete(calls.incrementAndGet())));
    assertEquals(0, calls.get());
  }

  @Test
  void callFailsWhenLoopAndCallerHaveEnded() throws Exception {
    ContextInternal worker = endedWorker();
    end(loop);
    assertClosed(LoopCall.on(loop, worker, promise -> promise.complete(calls.incrementAndGet())));
    assertEquals(0, calls.get());
  }

  @Test
  void taskDoesNotRunWhenLoopHasEnded() throws Exception {
    end(loop);
    assertFalse(LoopCall.execute(loop, calls::incrementAndGet));
    assertFalse(LoopCall.run(loop, calls::incrementAndGet));
    assertFalse(LoopCall.attempt(EventLoop::execute, loop, calls::incrementAndGet));
    assertEquals(0, calls.get());
  }

  @Test
  void refusalIsReplacedAndOtherFailureIsKept() throws Exception {
    end(loop);
    Throwable refusal = assertThrows(RuntimeException.class, () -> loop.execute(calls::incrementAndGet));
    assertEquals(Reason.CLOSED, ((RdmaException) LoopCall.cause(refusal)).reason());
    Throwable other = new IllegalStateException("on purpose");
    assertSame(other, LoopCall.cause(other));
  }

  @Test
  void resultsAndEventsAreDroppedWhenWorkerHasEnded() throws Exception {
    ContextInternal worker = endedWorker();
    Promise<Integer> result = Promise.promise();
    Promise<Integer> completed = LoopCall.promise(worker);
    Promise<Integer> failed = LoopCall.promise(worker);
    AtomicInteger dropped = new AtomicInteger();
    for (Future<Integer> each : List.of(completed.future(), failed.future(), LoopCall.result(worker, result.future()))) {
      each.onComplete(done -> dropped.incrementAndGet());
    }
    result.future().onSuccess(calls::set);
    completed.complete(1);
    failed.fail("on purpose");
    result.complete(2);
    assertFalse(LoopCall.execute(worker, dropped::incrementAndGet));
    assertFalse(LoopCall.emit(worker, 3, dropped::set));
    assertEquals(2, calls.get());
    assertEquals(0, dropped.get());
  }

  @Test
  void actionCompletesItsPromiseWhenCallersLoopHasEnded() throws Exception {
    ContextInternal caller = otherLoop();
    Promise<Promise<Integer>> action = Promise.promise();
    LoopCall.<Integer>on(loop, caller, action::complete).onComplete(done -> calls.incrementAndGet());
    Promise<Integer> promise = await(action.future());
    end(caller.nettyEventLoop());
    assertTrue(await(LoopCall.on(loop, () -> Future.succeededFuture(promise.tryComplete(1)))));
    assertFalse(promise.tryFail("too late"));
    assertEquals(0, calls.get());
  }

  @Test
  void callerWithoutContextGetsResultAfterVertxHasClosed() throws Exception {
    await(vertx.close());
    Promise<Integer> promise = LoopCall.promise(vertx);
    promise.future().onSuccess(calls::set);
    promise.complete(1);
    assertEquals(1, calls.get());
  }

  @Test
  void callFailsWithWhatTheActionThrows() throws Exception {
    OutOfMemoryError failure = new OutOfMemoryError("on purpose");
    assertSame(failure, failure(throwing(failure)));
    assertSame(failure, failure(throwingToCaller(failure)));
    List<Throwable> onLoop = await(
      LoopCall.on(loop, () -> Future.succeededFuture(List.of(throwing(failure).cause(), throwingToCaller(failure).cause()))));
    assertEquals(List.of(failure, failure), onLoop);
  }

  private Future<Void> throwing(Error failure) {
    return LoopCall.on(loop, () -> {
      throw failure;
    });
  }

  private Future<Void> throwingToCaller(Error failure) {
    return LoopCall.on(loop, otherLoop(), promise -> {
      throw failure;
    });
  }

  @Test
  void callOnTheLoopRunsAtOnce() throws Exception {
    List<Integer> seen = await(LoopCall.on(loop, () -> {
      LoopCall.execute(loop, () -> calls.addAndGet(1000));
      LoopCall.run(loop, () -> calls.addAndGet(1));
      int afterRun = calls.get();
      Future<Integer> call = LoopCall.on(loop, () -> Future.succeededFuture(calls.addAndGet(10)));
      Future<Integer> result = LoopCall.on(loop, otherLoop(), promise -> promise.complete(calls.addAndGet(100)));
      return Future.succeededFuture(List.of(afterRun, call.result(), result.result()));
    }));
    assertEquals(List.of(1, 11, 111), seen);
  }

  @Test
  void callFromElsewhereRunsOnTheLoopAndCompletesOnTheCallersContext() throws Exception {
    ContextInternal caller = otherLoop();
    Promise<Context> completedOn = Promise.promise();
    Future<Boolean> onLoop = LoopCall.on(loop, caller, promise -> promise.complete(loop.inEventLoop()));
    onLoop.onComplete(done -> completedOn.complete(Vertx.currentContext()));
    assertTrue(await(onLoop));
    assertSame(caller, await(completedOn.future()));
  }
}
