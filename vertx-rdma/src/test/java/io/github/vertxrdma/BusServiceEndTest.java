package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "shm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP, all = {"nio", "tcp", "rxm"})
@Timeout(120)
class BusServiceEndTest extends BusServicePair {

  @Test
  void undeployingDrains() throws Exception {
    List<Message<Object>> asked = new CopyOnWriteArrayList<>();
    serverVertx.eventBus().consumer("drains", m -> {
      if (m.body() instanceof String) {
        m.reply("at once");
      } else {
        asked.add(m);
      }
    });
    String id = deploy("drains");
    until("the client sees the service", () -> services("drains") == 1);
    RdmaBusClient bus = await(client.connectBus("drains", new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(500))));
    List<Future<?>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(bus.request(i));
    }
    until("all were asked", () -> asked.size() == 20);
    Future<Void> undeployed = serverVertx.undeploy(id);
    until("no more are taken", () -> {
      try {
        return !"at once".equals(await(bus.request("late")).body());
      } catch (Exception e) {
        return e.getCause() instanceof RdmaException;
      }
    });
    asked.forEach(m -> m.reply(m.body()));
    await(Future.all(answers));
    await(undeployed);
    assertEquals(0, await(server.directory()).services("drains").size());
    deploy("drains");
    serverVertx.eventBus().consumer("drains", m -> m.reply("new"));
    until("it answers again", () -> {
      try {
        return "new".equals(await(bus.request("again", new DeliveryOptions().setSendTimeout(500))).body());
      } catch (Exception e) {
        return false;
      }
    });
  }

  /** A message that a failure handler sends begins a new search for the service. The event loop runs other tasks meanwhile. */
  @Test
  void aFailedMessageMayBeSentAgainByItsHandler() throws Exception {
    String id = deploy("gone");
    until("the client sees the service", () -> services("gone") == 1);
    Context context = clientVertx.getOrCreateContext();
    RdmaBusClient bus = connectOn(context, "gone", 100);
    await(serverVertx.undeploy(id));
    until("it is not found", () -> {
      try {
        await(bus.send("anybody?"));
        return false;
      } catch (Exception e) {
        return true;
      }
    });
    AtomicInteger tries = new AtomicInteger();
    Promise<Void> goesOn = Promise.promise();
    context.runOnContext(v -> {
      sendAgain(bus, tries);
      askAgain(bus, tries);
    });
    try {
      until("it was tried again", () -> tries.get() >= 6);
      context.runOnContext(v -> goesOn.complete());
      await(goesOn.future());
    } finally {
      tries.set(Integer.MIN_VALUE);
    }
  }

  @Test
  void closingItsRdmaClosesAClient() throws Exception {
    serverVertx.eventBus().consumer("echo", m -> m.reply(m.body()));
    deploy("echo");
    RdmaBusClient bus = connect("echo");
    await(bus.request("here"));
    await(client.close());
    assertInstanceOf(RdmaException.class, cause(bus.request("gone")));
  }

  /** Returns the command prefix for a process that reaches this fabric: empty if Java alone reaches it, null if no process does. */
  private List<String> launcher() {
    if (fabric().startsWith("memory")) {
      return null;
    }
    return VerbsInUserSpace.provides(fabric()) ? Nic.built().launcher(Nic.DEFAULT) : List.of();
  }

  /** The promise is 2 s, in which a busy machine may not stop the process at all: the time is printed. */
  @Test
  void aKilledPeerFailsItsRequestsAtOnce() throws Exception {
    Assumptions.assumeTrue(launcher() != null, "this fabric is within one process, so no peer of it can be killed");
    try (ChildJvm child = ChildJvm.startBy(launcher(), BusServiceChild.class,
      new RdmaBusServiceOptions().setRdma(options()).toJson().encode())) {
      String node = child.await("serving");
      Context context = clientVertx.getOrCreateContext();
      RdmaBusClient bus = connectOn(context, "child", 20_000);
      assertEquals(node, bus.remoteNodeId());
      assertEquals("hello", await(bus.request("hello")).body());
      Future<Message<Object>> waits = bus.request("silence");
      Promise<Message<Object>> again = Promise.promise();
      context.runOnContext(v -> waits.onFailure(e -> bus.request("hello", new DeliveryOptions().setSendTimeout(300)).onComplete(again)));
      child.await("silent");
      long killed = System.nanoTime();
      child.kill();
      Throwable cause = cause(waits);
      System.out.printf("%s: a killed peer's request failed after %d ms: %s%n", fabric(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed), cause.getMessage());
      assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, cause, cause.toString()).reason());
      assertTrue(cause.getMessage().contains(node.substring(0, 8)), cause.getMessage());
      assertEquals(ReplyFailure.TIMEOUT, replyFailure(again.future()).failureType());
    }
  }

  /** A server that does not read gets the first requests only. They may have begun, but later ones have not. */
  @Test
  void unsentRequestsOfALostServerAreRepeated() throws Exception {
    Promise<RdmaConnection> accepted = Promise.promise();
    RdmaServer deaf = await(server.createServer(new RdmaServerOptions().setMetadata(new JsonObject().put("protocol", "bus/2-2")))
      .connectHandler(connection -> {
        connection.pause();
        accepted.complete(connection);
      }).listen("again"));
    RdmaBusClient bus = connect("again");
    Queue<Integer> served = new ConcurrentLinkedQueue<>();
    serverVertx.eventBus().<Buffer>consumer("again", m -> {
      served.add(m.body().getInt(0));
      m.reply(m.body().getInt(0));
    });
    List<Future<Message<Integer>>> requests = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      requests.add(bus.request(Buffer.buffer(random(1_000_000)).setInt(0, i)));
    }
    deploy("again");
    RdmaConnection lost = await(accepted.future());
    await(deaf.close());
    lost.shutdown(Duration.ofMillis(1));
    List<Integer> answered = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      int request = i;
      await(requests.get(i).map(Message::body).<Void>transform(done -> {
        if (done.succeeded()) {
          assertEquals(request, done.result());
          answered.add(request);
        } else {
          assertTrue(assertInstanceOf(RdmaException.class, done.cause()).isEffectUnknown(), () -> "" + done.cause());
        }
        return Future.succeededFuture();
      }));
    }
    assertEquals(31, answered.getLast());
    assertEquals(answered, List.copyOf(served));
  }
}
