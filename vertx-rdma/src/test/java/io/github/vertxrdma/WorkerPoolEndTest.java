package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolEndTest extends BusServicePair {
  private final List<Message<Object>> asked = new CopyOnWriteArrayList<>();
  private RdmaBusClient bus;
  private String serving;

  private void serve() throws Exception {
    serverVertx.eventBus().consumer("orders", asked::add);
    serving = await(serverVertx.deployVerticle("rdma:orders", deployment(new RdmaBusServiceOptions().setDrainTimeout(Duration.ZERO))));
    bus = await(
      client.connectBus("orders", new RdmaBusClientOptions().setLookupTimeout(Duration.ofSeconds(1)).setDrainTimeout(Duration.ofHours(1))));
  }

  private void begunByAWorker(Runnable call, BooleanSupplier isBegun) throws Exception {
    String deployed = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        call.run();
        return Future.succeededFuture();
      }
    }, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER).setWorkerPoolName("own")));
    until("the call is under way", isBegun);
    await(clientVertx.undeploy(deployed));
  }

  private Future<Message<Object>> askedAfterAWorker() throws Exception {
    serve();
    begunByAWorker(() -> bus.request("first").onComplete((reply, cause) -> {}), () -> asked.size() == 1);
    Future<Message<Object>> second = bus.request("second");
    until("both are asked", () -> asked.size() == 2);
    return second;
  }

  @Test
  void answersReachTheOthers() throws Exception {
    Future<Message<Object>> second = askedAfterAWorker();
    asked.forEach(message -> message.reply("answer"));
    assertEquals("answer", await(second).body());
    Future<Message<Object>> third = bus.request("third");
    until("it is asked", () -> asked.size() == 3);
    asked.get(2).reply("answer");
    assertEquals("answer", await(third).body());
  }

  @Test
  void failuresReachTheOthers() throws Exception {
    Future<Message<Object>> second = askedAfterAWorker();
    asked.forEach(message -> message.fail(7, "no"));
    assertEquals(7, replyFailure(second).failureCode());
  }

  @Test
  void theEndOfTheConnectionReachesTheOthers() throws Exception {
    Future<Message<Object>> second = askedAfterAWorker();
    await(serverVertx.undeploy(serving));
    cause(second);
    await(bus.close());
  }

  @Test
  void requestsWhoseTimeWasUpAreOver() throws Exception {
    serve();
    DeliveryOptions brief = new DeliveryOptions().setSendTimeout(500);
    AtomicBoolean over = new AtomicBoolean();
    // On a busy machine the time may be up before the request arrives.
    begunByAWorker(() -> bus.request("first", brief).onComplete((reply, cause) -> over.set(true)), () -> asked.size() == 1 || over.get());
    assertEquals(ReplyFailure.TIMEOUT, replyFailure(bus.request("second", brief)).failureType());
    await(bus.close());
  }

  @Test
  void anOutageReachesTheOthers() throws Exception {
    serve();
    await(serverVertx.undeploy(serving));
    until("the service is not found", () -> Await.await(
      bus.send("anybody?").map(false).otherwise(cause -> cause instanceof RdmaException e && e.reason() == Reason.NOT_FOUND), false));
    begunByAWorker(() -> bus.send("lost").onComplete((sent, cause) -> {}), () -> true);
    assertEquals(Reason.NOT_FOUND, reason(bus.request("second")));
  }

  @Test
  void changesOfTheDirectoryReachTheOthers() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    AtomicBoolean watches = new AtomicBoolean();
    begunByAWorker(() -> client.directory().onSuccess(directory -> {
      directory.watch(event -> told.add("ended"));
      watches.set(true);
    }), watches::get);
    await(client.directory()).watch(event -> told.add(event.entry().key()));
    told.clear();
    serve();
    until("the other watch hears of the service", () -> told.stream().anyMatch(key -> key.contains("orders")));
    assertFalse(told.contains("ended"));
  }
}
