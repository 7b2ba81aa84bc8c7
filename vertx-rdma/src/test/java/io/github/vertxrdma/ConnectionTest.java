package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"},
  full = {FabricPair.ONE_RDM_LOOP, MemoryVariants.INTRODUCED, "verbs:mlx5", "verbs:connectib", "verbs:iwarp",
    "verbs:irdma", "verbs:bnxt", "verbs:ib", "verbs:roce-multiport",
    "verbs:tiny"})
@Timeout(120)
class ConnectionTest extends FabricPair {

  private void awaitNotFound(String name) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!await(client.directory()).services(name).isEmpty()) {
      assertTrue(System.nanoTime() < end, "'" + name + "' is still there");
      Thread.yield();
    }
    assertEquals(Reason.NOT_FOUND, reason(client.connect(name, new RdmaConnectOptions().setLookupTimeout(Duration.ofMillis(300)))));
  }

  private void echo(String name) throws Exception {
    await(server.createServer().connectHandler(c -> {
      c.exceptionHandler(cause -> System.out.println("the echo server: " + cause));
      c.handler(c::write);
    }).listen(name));
  }

  static void assertEchoed(RdmaConnection connection, byte[] bytes) throws Exception {
    Promise<Buffer> back = Promise.promise();
    connection.handler(back::complete);
    await(connection.write(Buffer.buffer(bytes)));
    assertArrayEquals(bytes, await(back.future()).getBytes());
  }

  @Test
  void echoesByName() throws Exception {
    echo("echo");
    RdmaConnection connection = await(client.connect("echo"));
    Promise<Buffer> got = Promise.promise();
    connection.handler(got::tryComplete);
    await(connection.write(Buffer.buffer("hello")));
    assertEquals("hello", await(got.future()).toString());
    assertEquals(fabric(), connection.fabric().device());
    for (SocketAddress address : List.of(connection.remoteAddress(), connection.localAddress())) {
      assertTrue(address.isInetSocket() ? address.port() > 0 : address.path().startsWith(fabric() + ':'), address.toString());
    }
    await(connection.close());
  }

  @Test
  void messagesOfAllSizesBothWays() throws Exception {
    echo("sizes");
    RdmaConnection connection = await(client.connect("sizes"));
    Random random = new Random(7);
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] bytes = new byte[i % 30 == 29 ? random.nextInt(3 << 20) : (int) Math.pow(2, random.nextDouble() * 17)];
      random.nextBytes(bytes);
      sent.add(Buffer.buffer(bytes));
    }
    ConcurrentLinkedQueue<Buffer> got = new ConcurrentLinkedQueue<>();
    Promise<Void> all = Promise.promise();
    connection.handler(m -> {
      got.add(m);
      if (got.size() == sent.size()) {
        all.complete();
      }
    });
    connection.exceptionHandler(all::tryFail);
    sent.forEach(connection::write);
    await(all.future());
    assertEquals(sent, List.copyOf(got));
  }

  @Test
  void aPausedReaderHoldsTheWriterBack() throws Exception {
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    AtomicInteger got = new AtomicInteger();
    Promise<Integer> ended = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      c.handler(m -> got.incrementAndGet()).endHandler(v -> ended.complete(got.get())).pause();
      accepted.add(c);
    }).listen("slow"));
    RdmaConnection connection = await(client.connect("slow")).setWriteQueueMaxSize(100_000);
    int sent = 300;
    for (int i = 0; i < sent; i++) {
      connection.write(Buffer.buffer(new byte[10_000]));
    }
    // This connection stays full for a long time, like the new one: the window limits sent bytes.
    await(client.connect("slow"));
    Promise<Void> drained = Promise.promise();
    connection.drainHandler(v -> drained.tryComplete());
    assertTrue(connection.writeQueueFull());
    assertEquals(0, got.get());
    accepted.take().resume();
    await(drained.future());
    await(connection.end());
    assertEquals(sent, await(ended.future()));
  }

  @Test
  void endAndCloseLoseNothing() throws Exception {
    Promise<Integer> count = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      int[] n = {0};
      c.handler(m -> n[0]++);
      c.endHandler(v -> count.complete(n[0]));
    }).listen("end"));
    RdmaConnection connection = await(client.connect("end"));
    for (int i = 0; i < 500; i++) {
      connection.write(Buffer.buffer(new byte[i * 100]));
    }
    await(connection.close());
    assertEquals(500, await(count.future()));
  }

  @Test
  void aFlushCompletesWhenThePeerHasWhatWasWritten() throws Exception {
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    AtomicInteger read = new AtomicInteger();
    await(server.createServer().connectHandler(c -> {
      c.pause().handler(m -> read.incrementAndGet());
      accepted.add(c);
    }).listen("flushed"));
    RdmaConnection connection = await(client.connect("flushed"));
    RdmaConnection peer = accepted.take();
    await(connection.flush());
    Future<Void> first = write(connection, 5);
    Future<Void> all = write(connection, 300);
    peer.resume();
    await(first);
    await(all);
    Promise<Void> last = Promise.promise();
    peer.handler(m -> {
      if (read.incrementAndGet() == 306) {
        last.tryComplete();
      }
    });
    connection.write(Buffer.buffer("last"));
    await(connection.flush());
    Future<Void> closed = connection.flush();
    await(connection.close());
    await(closed);
    await(last.future());
    assertEquals(Reason.CLOSED, reason(connection.flush()));

    RdmaConnection left = await(client.connect("flushed"));
    // Even a shutdown without a time limit receives for a moment, but these messages take longer.
    Buffer large = Buffer.buffer(new byte[200_000]);
    for (int i = 0; i < 300; i++) {
      left.write(large);
    }
    Future<Void> lost = left.flush();
    assertFalse(lost.isComplete());
    accepted.take().shutdown(Duration.ZERO);
    assertTrue(List.of(Reason.CONNECTION_LOST, Reason.CLOSED).contains(reason(lost)), () -> lost.cause().toString());
    assertTrue(lost.cause().getMessage().contains(left.remoteNodeName()), lost.cause().getMessage());
  }

  private static Future<Void> write(RdmaConnection connection, int messages) {
    for (int i = 0; i < messages; i++) {
      connection.write(Buffer.buffer(new byte[i % 60 == 4 ? 200_000 : 2_000]));
    }
    return connection.flush();
  }

  @Test
  void requestsAreAnsweredInBothDirections() throws Exception {
    Promise<RdmaConnection> accepted = Promise.promise();
    Promise<Buffer> withheld = Promise.promise();
    Promise<Integer> read = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      int[] n = {0};
      c.handler(m -> n[0]++).endHandler(v -> read.complete(n[0]));
      c.requestHandler(body -> body.length() == 1 ? withheld.future() : Future.succeededFuture(body.appendString("!")));
      accepted.complete(c);
    }).listen("requests"));
    RdmaConnection connection = await(client.connect("requests"));
    RdmaConnection peer = await(accepted.future());
    Future<Buffer> early = peer.request(Buffer.buffer("waits for a handler"));
    Future<Buffer> last = connection.request(Buffer.buffer("x"));
    List<Future<Buffer>> replies = new ArrayList<>();
    List<Buffer> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Buffer body = Buffer.buffer(new byte[i % 20 == 19 ? 300_000 : i * 50]).appendInt(i);
      expected.add(body.copy().appendString("!"));
      replies.add(connection.request(body));
      connection.write(Buffer.buffer("message"));
    }
    for (int i = 0; i < replies.size(); i++) {
      assertEquals(expected.get(i), await(replies.get(i)));
    }
    connection.requestHandler(body -> Future.failedFuture("no " + body));
    assertEquals(Reason.REJECTED, reason(early));
    assertTrue(early.cause().getMessage().endsWith("no waits for a handler"), early.cause().getMessage());
    withheld.complete(Buffer.buffer());
    assertEquals(0, await(last).length());
    await(connection.requestHandler(body -> Promise.<Buffer>promise().future()).end());
    assertEquals(40, await(read.future()));
    assertEquals(Reason.CLOSED, reason(connection.request(Buffer.buffer("z"))));
    Future<Buffer> unanswered = peer.request(Buffer.buffer("y"), Duration.ofMinutes(1));
    await(connection.close());
    assertEquals(Reason.CLOSED, reason(unanswered));
  }

  @Test
  void handlersRunOnTheVerticlesContext() throws Exception {
    echo("contexts");
    for (ThreadingModel model : List.of(ThreadingModel.EVENT_LOOP, ThreadingModel.WORKER, ThreadingModel.VIRTUAL_THREAD)) {
      Promise<Void> done = Promise.promise();
      await(clientVertx.deployVerticle(new AbstractVerticle() {
        @Override
        public void start(Promise<Void> started) {
          client.connect("contexts").onComplete(connected -> {
            if (connected.failed() || Vertx.currentContext() != context) {
              done.tryFail(connected.failed() ? connected.cause() : new AssertionError("another context"));
              return;
            }
            RdmaConnection c = connected.result();
            int[] n = {0};
            c.handler(m -> {
              if (Vertx.currentContext() != context) {
                done.tryFail(new AssertionError(model + ": message on another context"));
              } else if (++n[0] == 100) {
                done.tryComplete();
              }
            });
            for (int i = 0; i < 100; i++) {
              c.write(Buffer.buffer("m" + i));
            }
          });
          started.complete();
        }
      }, new DeploymentOptions().setThreadingModel(model)));
      await(done.future());
    }
  }

  @Test
  void privateDataGoesBothWaysAndAReasonComesBack() throws Exception {
    await(server.createServer().handshakeHandler(r -> {
      if (r.privateData().toString().equals("let me in")) {
        r.accept(Buffer.buffer("welcome"));
      } else {
        r.reject("not you");
      }
    }).connectHandler(c -> c.handler(c::write)).listen("door"));
    RdmaConnection connection = await(client.connect("door", new RdmaConnectOptions().setPrivateData(Buffer.buffer("let me in"))));
    assertEquals("welcome", connection.privateData().toString());
    Future<RdmaConnection> refused = client.connect("door");
    assertEquals(Reason.REJECTED, reason(refused));
    assertTrue(refused.cause().getMessage().contains("not you"), refused.cause().getMessage());
  }

  @Test
  void missingNameIsNamed() {
    Future<RdmaConnection> none = client.connect("nobody", new RdmaConnectOptions().setLookupTimeout(Duration.ofMillis(300)));
    assertEquals(Reason.NOT_FOUND, reason(none));
    assertTrue(none.cause().getMessage().contains("nobody"), none.cause().getMessage());
  }

  @Test
  void aWithdrawnServerIsNotFoundAndItsConnectionsLiveOn() throws Exception {
    RdmaServer listening = await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("closing"));
    RdmaConnection connection = await(client.connect("closing"));
    await(listening.withdraw());
    Promise<Buffer> got = Promise.promise();
    connection.handler(got::tryComplete);
    connection.write(Buffer.buffer("still here"));
    assertEquals("still here", await(got.future()).toString());
    awaitNotFound("closing");
  }

  @Test
  void undeployingTheServersVerticleWithdrawsIt() throws Exception {
    String id = await(serverVertx.deployVerticle(new AbstractVerticle() {
      @Override
      public void start(Promise<Void> started) {
        server.createServer().connectHandler(c -> c.handler(c::write)).listen("verticle").<Void>mapEmpty().onComplete(started);
      }
    }));
    await(client.connect("verticle"));
    await(serverVertx.undeploy(id));
    awaitNotFound("verticle");
  }

  @Test
  void endOfThePeerIsReportedWhenItsVertxCloses() throws Exception {
    echo("gone");
    RdmaConnection connection = await(client.connect("gone"));
    Promise<Void> closed = Promise.promise();
    connection.closeHandler(v -> closed.complete());
    await(serverVertx.close());
    await(closed.future());
    assertTrue(reason(connection.write(Buffer.buffer("x"))) != null);
  }

  enum Departure { CLOSE, SHUTDOWN, RDMA_CLOSE, VERTX_CLOSE, END_AND_VERTX_CLOSE }

  /** The peer receives all messages, their end and the close, and no failure; nor does this side. */
  @ParameterizedTest
  @EnumSource
  void anOrderlyDepartureIsNoFailure(Departure departure) throws Exception {
    ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    Promise<Integer> ended = Promise.promise();
    Promise<Void> closed = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      int[] read = {0};
      c.exceptionHandler(cause -> failures.add("who stayed: " + cause));
      c.handler(message -> {
        read[0]++;
        c.pause();
        serverVertx.setTimer(2, t -> c.resume());
      });
      c.endHandler(v -> ended.complete(read[0]));
      c.closeHandler(v -> closed.complete());
    }).listen("stays"));
    await(server.createRegion(new RegionOptions().setName("kept").setSize(64).setAccess(RegionAccess.READ)));
    await(await(client.openRegion("kept")).close());
    RdmaConnection connection = await(client.connect("stays"));
    Promise<Void> left = Promise.promise();
    connection.exceptionHandler(cause -> failures.add("who left: " + cause));
    connection.closeHandler(v -> left.complete());
    for (int i = 0; i < 40; i++) {
      connection.write(Buffer.buffer(new byte[16_000]));
    }
    switch (departure) {
      case CLOSE -> await(connection.close());
      case SHUTDOWN -> await(connection.shutdown(Duration.ofSeconds(20)));
      case RDMA_CLOSE -> await(client.close());
      case VERTX_CLOSE -> await(clientVertx.close());
      case END_AND_VERTX_CLOSE -> {
        await(connection.end());
        await(clientVertx.close());
      }
      default -> throw new AssertionError(departure);
    }
    assertEquals(40, await(ended.future()));
    await(closed.future());
    await(left.future());
    assertEquals(List.of(), List.copyOf(failures));
    until("no link is open", () -> departure.compareTo(Departure.RDMA_CLOSE) < 0
      || serverStatistics().devices().stream().allMatch(device -> device.connectionCount() == 0));
    NodeStatistics statistics = serverStatistics();
    assertEquals(0, statistics.devices().stream().mapToLong(DeviceStatistics::lost).sum(), statistics.errors().toString());
    assertEquals(List.of(), statistics.errors());
  }

  private NodeStatistics serverStatistics() {
    return server.statistics().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void manyConnectionsOfOneEventLoop() throws Exception {
    echo("many");
    int n = 60;
    Promise<Void> all = Promise.promise();
    Context context = clientVertx.getOrCreateContext();
    int[] echoed = {0};
    context.runOnContext(v -> {
      for (int i = 0; i < n; i++) {
        client.connect("many").onFailure(all::tryFail).onSuccess(c -> {
          c.handler(m -> {
            if (++echoed[0] == n * 20) {
              all.tryComplete();
            }
          });
          c.exceptionHandler(all::tryFail);
          for (int k = 0; k < 20; k++) {
            c.write(Buffer.buffer(new byte[k * 3000]));
          }
        });
      }
    });
    await(all.future());
  }

  /** The memory of an unread message may be reused when its connection has closed. Its new content is not delivered as that message. */
  @Test
  void reusedMemoryOfAnUnreadMessageIsNotDeliveredAsIt() throws Exception {
    BlockingQueue<Integer> wrong = new LinkedBlockingQueue<>();
    AtomicInteger[] read = {new AtomicInteger(), new AtomicInteger()};
    Set<Context> contexts = ConcurrentHashMap.newKeySet();
    await(server.createServer().connectHandler(c -> {
      contexts.add(Vertx.currentContext());
      int number = c.privateData().getByte(0);
      c.handler(message -> {
        read[number].incrementAndGet();
        for (int i = 0; i < message.length(); i++) {
          if (message.getByte(i) != number) {
            wrong.add(number);
            return;
          }
        }
      });
    }).listen("busy"));
    RdmaConnection left = await(client.connect("busy", new RdmaConnectOptions().setPrivateData(filled(0, 1))));
    RdmaConnection other = await(client.connect("busy", new RdmaConnectOptions().setPrivateData(filled(1, 1))));
    int size = 200_000;
    writeInPlace(left, 0, size);
    writeInPlace(other, 1, size);
    until("both read once", () -> read[0].get() == 1 && read[1].get() == 1);
    CountDownLatch goOn = new CountDownLatch(1);
    Set<EventLoop> loops = contexts.stream().map(context -> ((ContextInternal) context).nettyEventLoop()).collect(Collectors.toSet());
    CountDownLatch busy = new CountDownLatch(loops.size());
    loops.forEach(loop -> loop.execute(() -> {
      busy.countDown();
      try {
        goOn.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }));
    try {
      assertTrue(busy.await(20, TimeUnit.SECONDS));
      writeInPlace(left, 0, size);
      left.shutdown(Duration.ZERO);
      for (int i = 0; i < 4; i++) {
        writeInPlace(other, 1, size);
      }
    } finally {
      goOn.countDown();
    }
    until("the other connection goes on", () -> read[1].get() == 5);
    assertEquals(List.of(), List.copyOf(wrong));
  }

  private static void writeInPlace(RdmaConnection connection, int value, int size) throws Exception {
    RdmaMessage message = await(connection.allocate(size));
    message.body().appendBuffer(filled(value, size));
    connection.write(message);
  }

  private static Buffer filled(int value, int size) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) value);
    return Buffer.buffer(bytes);
  }
}
