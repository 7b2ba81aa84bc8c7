package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP)
@Timeout(120)
class BusClientVerticleTest extends BusServicePair {

  @Test
  void aClientVerticleMakesItAnAddress() throws Exception {
    serverVertx.eventBus().<String>consumer("orders", m -> {
      if (m.body().equals("bad")) {
        m.fail(9, "bad order");
      } else {
        m.reply(m.body() + " " + m.headers().get("n"), new DeliveryOptions().addHeader("seen", "yes"));
      }
    });
    Promise<Object> published = Promise.promise();
    serverVertx.eventBus().consumer("all", m -> published.complete(m.body()));
    deploy("orders");
    deploy("all");
    for (ThreadingModel model : List.of(ThreadingModel.EVENT_LOOP, ThreadingModel.VIRTUAL_THREAD)) {
      String id = await(clientVertx.deployVerticle("rdma:orders?connect", deployment(new RdmaBusClientOptions()).setThreadingModel(model)));
      Message<Object> reply = await(clientVertx.eventBus().request("orders", "tea", new DeliveryOptions().addHeader("n", "2")));
      assertEquals("tea 2", reply.body());
      assertEquals("yes", reply.headers().get("seen"));
      ReplyException failure = replyFailure(clientVertx.eventBus().request("orders", "bad"));
      assertEquals(ReplyFailure.RECIPIENT_FAILURE, failure.failureType());
      assertEquals(9, failure.failureCode());
      assertEquals("bad order", failure.getMessage());
      await(clientVertx.undeploy(id));
      assertEquals(ReplyFailure.NO_HANDLERS, replyFailure(clientVertx.eventBus().request("orders", "tea")).failureType());
    }
    await(clientVertx.deployVerticle("rdma:all?connect", deployment(new RdmaBusClientOptions().setAddress("everybody"))));
    clientVertx.eventBus().publish("everybody", new JsonObject().put("a", 1));
    assertEquals(new JsonObject().put("a", 1), await(published.future()));
  }

  @Test
  void repliesToRepliesGoThroughAClientVerticle() throws Exception {
    Promise<Object> last = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onComplete(answer -> {
      last.complete(answer.result().body());
      answer.result().reply("hello");
    }));
    deploy("talk");
    await(clientVertx.deployVerticle("rdma:talk?connect", deployment(new RdmaBusClientOptions())));
    Message<Object> who = await(clientVertx.eventBus().request("talk", "knock"));
    assertEquals("who?", who.body());
    Message<Object> hello = await(who.replyAndRequest("me"));
    assertEquals("me", await(last.future()));
    assertEquals("hello", hello.body());
  }
}
