package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP)
@Timeout(120)
class BusServiceLimitTest extends BusServicePair {

  @Test
  void drainingIsBounded() throws Exception {
    Promise<Void> asked = Promise.promise();
    serverVertx.eventBus().consumer("silent", m -> asked.complete());
    String id = await(serverVertx.deployVerticle("rdma:silent", deployment(new RdmaBusServiceOptions()
      .setDrainTimeout(Duration.ofMillis(200)))));
    Future<Message<Object>> answer = connect("silent").request("?");
    await(asked.future());
    long start = System.nanoTime();
    await(serverVertx.undeploy(id));
    System.out.printf("%s: undeployed %d ms after it was asked to, with a drain timeout of 200 ms%n", fabric(),
      TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    assertInstanceOf(RdmaException.class, cause(answer));
  }

  @Test
  void outstandingRequestsAreBounded() throws Exception {
    List<Message<Object>> asked = new ArrayList<>();
    serverVertx.eventBus().consumer("slow", m -> {
      synchronized (asked) {
        asked.add(m);
      }
    });
    deploy("slow");
    RdmaBusClient bus = await(client.connectBus("slow", new RdmaBusClientOptions().setMaxOutstanding(5)));
    List<Future<?>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(bus.request(i));
    }
    assertEquals(Reason.LIMIT, reason(bus.request("one too many")));
    until("all were asked", () -> {
      synchronized (asked) {
        return asked.size() == 5;
      }
    });
    synchronized (asked) {
      asked.forEach(m -> m.reply(null));
    }
    await(Future.all(answers));
    Future<Message<Object>> next = bus.request("now");
    until("it was asked", () -> {
      synchronized (asked) {
        return asked.size() == 6;
      }
    });
    asked.getLast().reply("fine");
    assertEquals("fine", await(next).body());
  }

  /** A reply that requests a reply counts as a request. If it is refused, the peer that waits for it gets an error. */
  @Test
  void repliesWithAReplyAddressAreLimited() throws Exception {
    Promise<Object> heard = Promise.promise();
    Promise<Message<Object>> waits = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> {
      if (m.body().equals("knock")) {
        m.replyAndRequest("who?").onComplete((answer, cause) -> heard.complete(cause));
      } else {
        waits.complete(m);
      }
    });
    deploy("talk");
    RdmaBusClient bus = await(client.connectBus("talk", new RdmaBusClientOptions().setMaxOutstanding(1)));
    Message<Object> who = await(bus.request("knock"));
    Future<Message<Object>> slow = bus.request("wait");
    assertEquals(Reason.LIMIT, reason(who.replyAndRequest("me")));
    assertInstanceOf(ReplyException.class, await(heard.future()));
    await(waits.future()).reply("done");
    assertEquals("done", await(slow).body());
  }

  @Test
  void busyServerLimitsItsClients() throws Exception {
    serverVertx.eventBus().consumer("busy", m -> serverVertx.setTimer(1, t -> m.reply(m.body())));
    await(serverVertx.deployVerticle("rdma:busy", deployment(new RdmaBusServiceOptions().setMaxOutstanding(10))));
    RdmaBusClient bus = connect("busy");
    List<Future<?>> answers = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      answers.add(bus.request(Buffer.buffer(new byte[i % 7 * 5000])));
    }
    await(Future.all(answers));
  }
}
