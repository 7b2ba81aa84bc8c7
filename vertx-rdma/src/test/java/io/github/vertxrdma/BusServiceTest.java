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
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageCodec;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "shm", "verbs:nic"}, full = FabricPair.ONE_RDM_LOOP, all = {"nio", "tcp", "rxm"})
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

  /** Failure with data, as of service proxies. */
  private static final class OrderFailure extends ReplyException {
    private static final long serialVersionUID = 1;
    private final transient Buffer detail;

    OrderFailure(int code, String message, Buffer detail) {
      super(ReplyFailure.RECIPIENT_FAILURE, code, message);
      this.detail = detail;
    }
  }

  private static final class OrderFailureCodec implements MessageCodec<OrderFailure, OrderFailure> {
    @Override
    public void encodeToWire(Buffer buffer, OrderFailure failure) {
      if (failure.failureCode() < 0) {
        throw new IllegalStateException("cannot encode");
      }
      buffer.appendInt(failure.failureCode()).appendInt(failure.getMessage().length()).appendString(failure.getMessage())
        .appendBuffer(failure.detail);
    }

    @Override
    public OrderFailure decodeFromWire(int at, Buffer buffer) {
      int end = at + 8 + buffer.getInt(at + 4);
      return new OrderFailure(buffer.getInt(at), buffer.getString(at + 8, end), buffer.getBuffer(end, buffer.length()));
    }

    @Override
    public OrderFailure transform(OrderFailure failure) {
      return failure;
    }

    @Override
    public String name() {
      return "Order failure, ä";
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }

  @Test
  void failureWithItsOwnCodecKeepsItsClassAndData() throws Exception {
    Buffer detail = Buffer.buffer(random(300));
    serverVertx.eventBus().registerDefaultCodec(OrderFailure.class, new OrderFailureCodec());
    serverVertx.eventBus().<Integer>consumer("orders", m -> m.reply(new OrderFailure(m.body(), "none left", detail)));
    Promise<Throwable> toServer = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onFailure(toServer::complete));
    deploy("orders");
    deploy("talk");
    RdmaBusClient bus = connect("orders");
    ReplyException plain = replyFailure(bus.request(43));
    assertEquals(ReplyException.class, plain.getClass(), "the client has no codec");
    assertEquals("RECIPIENT_FAILURE 43 none left", plain.failureType() + " " + plain.failureCode() + " " + plain.getMessage());
    clientVertx.eventBus().registerDefaultCodec(OrderFailure.class, new OrderFailureCodec());
    assertOrderFailure(bus.request(43), detail);
    await(clientVertx.deployVerticle("rdma:orders?connect", deployment(new RdmaBusClientOptions())));
    assertOrderFailure(clientVertx.eventBus().request("orders", 43), detail);
    await(connect("talk").request("knock")).reply(new OrderFailure(43, "none left", detail));
    assertOrderFailure(toServer.future().compose(Future::failedFuture), detail);
    assertEquals(-1, replyFailure(bus.request(-1)).failureCode(), "a codec that fails");
  }

  private static void assertOrderFailure(Future<?> request, Buffer detail) {
    OrderFailure failure = assertInstanceOf(OrderFailure.class, cause(request));
    assertEquals("RECIPIENT_FAILURE 43 none left", failure.failureType() + " " + failure.failureCode() + " " + failure.getMessage());
    assertEquals(detail, failure.detail);
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
    until("the client sees the server", () -> result(client.directory()).nodes().size() == 2);
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
    List<Message<Object>> asked = new CopyOnWriteArrayList<>();
    serverVertx.eventBus().consumer("slow", asked::add);
    deploy("slow");
    RdmaBusClient bus = await(client.connectBus("slow", new RdmaBusClientOptions().setMaxOutstanding(5)));
    List<Future<?>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(bus.request(i));
    }
    assertEquals(Reason.LIMIT, reason(bus.request("one too many")));
    until("all were asked", () -> asked.size() == 5);
    asked.forEach(m -> m.reply(null));
    await(Future.all(answers));
    Future<Message<Object>> next = bus.request("now");
    until("it was asked", () -> asked.size() == 6);
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
