package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP)
@Timeout(120)
class BusServiceTest extends BusServicePair {

  @Test
  void bodiesAndHeadersComeAndGo() throws Exception {
    serverVertx.eventBus().consumer("echo", m -> m.reply(m.body(), new DeliveryOptions().setHeaders(
      MultiMap.caseInsensitiveMultiMap().addAll(m.headers()).add("from", "echo"))));
    deploy("echo");
    RdmaBusClient bus = connect("echo");
    assertEquals(fabric(), bus.fabric().device());
    for (Object body : Arrays.asList(Buffer.buffer("bytes"), Buffer.buffer(), Buffer.buffer(random(4096)), Buffer.buffer(random(4097)),
      Buffer.buffer(random(16 << 10)), Buffer.buffer(random(3_000_000)), "text äöü €", "", new JsonObject().put("a", 1).putNull("b"),
      new JsonArray().add("x").add(2.5), 42, Integer.MIN_VALUE, 1L << 60, (short) -3, (byte) 7, 1.5f, -2.25, true, false, 'ß', null)) {
      Message<Object> reply = await(bus.request(body, new DeliveryOptions().addHeader("Name", "value").addHeader("Empty", "")
        .addHeader("Name", "again")));
      assertEquals(body, reply.body());
      assertEquals(List.of("value", "again"), reply.headers().getAll("name"));
      assertEquals("", reply.headers().get("empty"));
      assertEquals("echo", reply.headers().get("from"));
      assertNull(reply.replyAddress());
    }
    byte[] bytes = random(10_000);
    assertArrayEquals(bytes, (byte[]) await(bus.request(bytes)).body());
    await(bus.close());
    assertEquals(Reason.CLOSED, reason(bus.request("late")));
  }

  @Test
  void sendReachesOneConsumerAndPublishAll() throws Exception {
    Queue<String> got = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 3; i++) {
      String consumer = "c" + i;
      serverVertx.eventBus().<Buffer>consumer("news", m -> {
        got.add(consumer + " " + m.body() + " " + m.isSend());
        m.body().setByte(0, (byte) '?');
      });
    }
    deploy("news");
    RdmaBusClient bus = connect("news");
    await(bus.send(Buffer.buffer("one")));
    until("one has it", () -> got.size() == 1);
    assertTrue(got.poll().endsWith(" one true"));
    await(bus.publish(Buffer.buffer("all")));
    until("all have it", () -> got.size() == 3);
    assertEquals(List.of("c0 all false", "c1 all false", "c2 all false"), got.stream().sorted().toList());
  }

  @Test
  void publishedJsonHasTheTypesOfSentJson() throws Exception {
    Queue<Class<?>> types = new ConcurrentLinkedQueue<>();
    serverVertx.eventBus().<JsonObject>consumer("news", m -> types.add(m.body().getMap().get("inner").getClass()));
    deploy("news");
    RdmaBusClient bus = connect("news");
    JsonObject body = new JsonObject().put("inner", new JsonObject().put("a", 1));
    await(bus.send(body));
    await(bus.publish(body));
    until("both have arrived", () -> types.size() == 2);
    assertEquals(types.poll(), types.poll());
  }

  @Test
  void failuresAreThoseOfTheBus() throws Exception {
    serverVertx.eventBus().<String>consumer("fails", m -> {
      switch (m.body()) {
        case "fail" -> m.fail(404, "no such order");
        case "object" -> m.reply(new ReplyException(ReplyFailure.ERROR, 7, null));
        default -> {}
      }
    });
    deploy("fails");
    deploy("empty");
    RdmaBusClient bus = connect("fails");
    ReplyException failure = replyFailure(bus.request("fail"));
    assertEquals(ReplyFailure.RECIPIENT_FAILURE, failure.failureType());
    assertEquals(404, failure.failureCode());
    assertEquals("no such order", failure.getMessage());
    failure = replyFailure(bus.request("object"));
    assertEquals(ReplyFailure.ERROR, failure.failureType());
    assertEquals(7, failure.failureCode());
    assertNull(failure.getMessage());
    long start = System.nanoTime();
    failure = replyFailure(bus.request("silence", new DeliveryOptions().setSendTimeout(300)));
    assertEquals(ReplyFailure.TIMEOUT, failure.failureType());
    assertTrue(failure.getMessage().contains("300(ms)"), failure.getMessage());
    assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(300));
    failure = replyFailure(connect("empty").request("anybody?"));
    assertEquals(ReplyFailure.NO_HANDLERS, failure.failureType());
    assertEquals("No handlers for address empty", failure.getMessage());
    Throwable unknown = cause(bus.request(new Object()));
    assertTrue(unknown.getMessage().startsWith("cannot send a body of class java.lang.Object to a service"), unknown.getMessage());
    Throwable codec = cause(bus.send("x", new DeliveryOptions().setCodecName("mine")));
    assertTrue(codec.getMessage().startsWith("cannot send with codec 'mine'"), codec.getMessage());
    Throwable local = cause(bus.request("x", new DeliveryOptions().setLocalOnly(true)));
    assertTrue(local.getMessage().startsWith("cannot send with localOnly"), local.getMessage());
  }

  @Test
  void aReplyCanBeRepliedTo() throws Exception {
    Promise<Object> last = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onComplete(answer -> answer.result()
      .replyAndRequest("hello " + answer.result().body()).onComplete(end -> last.complete(end.result().body()))));
    deploy("talk");
    RdmaBusClient bus = connect("talk");
    Message<Object> who = await(bus.request("knock"));
    assertEquals("who?", who.body());
    Message<Object> hello = await(who.replyAndRequest("me"));
    assertEquals("hello me", hello.body());
    hello.reply("bye");
    assertEquals("bye", await(last.future()));
  }

  @Test
  void aFailureAnswersAReplyToo() throws Exception {
    Promise<Throwable> last = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onComplete(answer -> last.complete(answer.cause())));
    deploy("talk");
    await(connect("talk").request("knock")).fail(3, "nobody");
    ReplyException failure = assertInstanceOf(ReplyException.class, await(last.future()));
    assertEquals(3, failure.failureCode());
    assertEquals("nobody", failure.getMessage());
  }

  @Test
  void instancesShareAName() throws Exception {
    serverVertx.eventBus().consumer("many", m -> m.reply(m.body()));
    await(serverVertx.deployVerticle("rdma:many", deployment(new RdmaBusServiceOptions()).setInstances(2)));
    until("the client sees both", () -> services("many") == 2);
    List<RdmaBusClient> clients = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      clients.add(connect("many"));
    }
    List<Future<?>> replies = new ArrayList<>();
    for (int n = 0; n < 600; n++) {
      int number = n;
      replies.add(clients.get(n % 12).request(n).map(reply -> {
        assertEquals(number, reply.body());
        return null;
      }));
    }
    await(Future.all(replies));
  }

  @Test
  void thereMayBeMoreInstancesThanEventLoops() throws Exception {
    serverVertx.eventBus().consumer("crowd", m -> m.reply(m.body()));
    String id = await(serverVertx.deployVerticle("rdma:crowd", deployment(new RdmaBusServiceOptions()).setInstances(9)));
    List<Future<?>> replies = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      replies.add(connect("crowd").request(i));
    }
    await(Future.all(replies));
    await(serverVertx.undeploy(id));
    assertEquals(0, await(server.directory()).services("crowd").size());
  }

  @Test
  void namesThatLeadNowhereAreNamed() throws Exception {
    RdmaBusClientOptions brief = new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(300));
    Future<RdmaBusClient> nobody = client.connectBus("nobody", brief);
    assertEquals(Reason.NOT_FOUND, reason(nobody));
    assertEquals(
      "service 'nobody' did not appear in the " + await(client.directory()).where() + ", within 300 ms; there is 1 other node, and"
        + " no service",
      nobody.cause().getMessage());
    assertEquals(Reason.NOT_FOUND, reason(clientVertx.deployVerticle("rdma:nobody?connect",
      deployment(new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(300))))));
    await(server.createServer().connectHandler(c -> {}).listen("plain"));
    Future<RdmaBusClient> plain = client.connectBus("plain");
    assertEquals(Reason.UNSUPPORTED, reason(plain));
    deploy("bus");
    Future<RdmaConnection> wrong = client.connect("bus");
    assertEquals(Reason.REJECTED, reason(wrong));
    assertTrue(wrong.cause().getMessage().contains("'bus' is a service of the event bus"), wrong.cause().getMessage());
    for (String name : new String[] {"rdma:x?listen", "rdma:?connect"}) {
      assertEquals("'" + name + "' names no service: deploy rdma:NAME to serve one, or rdma:NAME?connect to use one",
        cause(serverVertx.deployVerticle(name)).getMessage());
    }
  }
}
