package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.support.Await;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Two devices on either side. When one device carries nothing under load, traffic continues over the other one, and nothing is delivered
 * twice.
 */
@Timeout(180)
abstract class AdaptersContract extends FabricPair {
  private static final int LIVES = 2;
  private static final int WINDOW = 8;
  static final int PATIENCE = Math.max(60_000, Await.PATIENCE_MILLIS);

  /** Takes a device of the client down or up again, and that of the server if they share it. */
  abstract void carries(int device, boolean it);

  static <T> Future<T> on(Context context, Supplier<Future<T>> call) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> call.get().onComplete(promise));
    return promise.future();
  }

  String deviceOf(Rdma rdma, Context context) throws Exception {
    RdmaConnection connection = await(on(context, () -> rdma.connect("orders")));
    String device = connection.fabric().device();
    await(connection.close());
    return device;
  }

  @Test
  void allTakeTheFirstByDefault() throws Exception {
    await(server.createServer().connectHandler(c -> c.endHandler(v -> c.end())).listen("orders"));
    for (int i = 0; i < 3; i++) {
      assertEquals(devices().getFirst(), deviceOf(client, clientVertx.getOrCreateContext()));
    }
  }

  @Test
  void eventLoopsTakeThemInTurn() throws Exception {
    Rdma spread = Rdma.create(clientVertx, options().setDeviceSpread(DeviceSpread.LOOP));
    await(server.createServer().connectHandler(c -> c.endHandler(v -> c.end())).listen("orders"));
    Set<String> taken = new HashSet<>();
    Map<EventLoop, ContextInternal> contexts = new HashMap<>();
    while (contexts.size() < 2) {
      ContextInternal context = ((VertxInternal) clientVertx).createEventLoopContext();
      contexts.put(context.nettyEventLoop(), context);
    }
    for (Context context : contexts.values()) {
      String device = deviceOf(spread, context);
      assertEquals(device, deviceOf(spread, context), "a loop keeps its device");
      taken.add(device);
    }
    assertEquals(Set.copyOf(devices()), taken);
  }

  @Test
  void peersHaveDevicesThatTheirIdsDecide() throws Exception {
    Rdma spread = Rdma.create(clientVertx, options().setDeviceSpread(DeviceSpread.PEER));
    Set<String> taken = new HashSet<>();
    List<Vertx> peers = new ArrayList<>();
    try {
      while (taken.size() < devices().size()) {
        Vertx peer = vertx();
        peers.add(peer);
        ServiceEntry service = await(Rdma.create(peer, options()).createServer().connectHandler(c -> c.endHandler(v -> c.end()))
          .listen("peer-" + peers.size()).compose(listening -> spread.directory())
          .compose(directory -> directory.awaitServices("peer-" + peers.size(), Duration.ofSeconds(20)))).getFirst();
        String device = devices().get(Math.floorMod(service.nodeId().hashCode(), devices().size()));
        for (int i = 0; i < 2; i++) {
          Context context = ((VertxInternal) clientVertx).createEventLoopContext();
          RdmaConnection connection = await(on(context, () -> spread.connect(service, new RdmaConnectOptions())));
          assertEquals(device, connection.fabric().device(), "whatever its loop");
          await(connection.close());
        }
        taken.add(device);
      }
    } finally {
      for (Vertx peer : peers) {
        await(peer.close());
      }
    }
  }

  @Test
  void connectionsAreMadeAgainOverTheOtherAndNothingComesTwice(TestReporter reporter) throws Exception {
    Set<Integer> arrived = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    await(server.createServer().connectHandler(c -> c.handler(message -> {
      if (!arrived.add(message.getInt(0))) {
        twice.incrementAndGet();
      }
      c.write(message);
    })).listen("orders"));
    Writer writer = new Writer();
    await(client.connect("orders", new RdmaConnectOptions().setReconnectAttempts(-1).setReconnectInterval(Duration.ofMillis(20)))
      .onSuccess(writer::over));
    lives(reporter, () -> writer.device, arrived::size);
    writer.connection.close();
    assertEquals(0, twice.get());
    assertTrue(writer.lost.stream().allMatch(cause -> cause instanceof RdmaException e && e.reason() == Reason.CONNECTION_LOST),
      writer.lost::toString);
    assertTrue(writer.lost.size() >= LIVES, writer.lost::toString);
  }

  private void lives(TestReporter reporter, Supplier<String> used, IntSupplier count) {
    for (int life = 0; life < LIVES; life++) {
      String other = devices().get((life + 1) % 2);
      goesOn(devices().get(life % 2), used, count);
      carries(life % 2, false);
      reporter.publishEntry("over " + other, "after " + goesOn(other, used, count) + " ms");
      carries(life % 2, true);
    }
  }

  /** @return milliseconds until a hundred more messages have gone over a device */
  private static long goesOn(String device, Supplier<String> used, IntSupplier count) {
    long millis = until("it goes over " + device, () -> device.equals(used.get()), PATIENCE);
    int before = count.getAsInt();
    return millis + until("more goes over " + device, () -> count.getAsInt() > before + 100);
  }

  private static final class Writer {
    private final List<Throwable> lost = new CopyOnWriteArrayList<>();
    private volatile RdmaConnection connection;
    private volatile String device = "";
    private int next;

    void over(RdmaConnection made) {
      connection = made;
      device = made.fabric().device();
      made.exceptionHandler(lost::add).reconnectHandler(this::over).handler(message -> write());
      for (int i = 0; i < WINDOW; i++) {
        write();
      }
    }

    private void write() {
      connection.write(Buffer.buffer(100).appendInt(next++));
    }
  }

  @Test
  void requestsOfTheBusGoOnOverTheOtherAndNoneIsServedTwice(TestReporter reporter) throws Exception {
    Set<Integer> served = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    serverVertx.eventBus().<Integer>consumer("counts", request -> {
      if (!served.add(request.body())) {
        twice.incrementAndGet();
      }
      request.reply(request.body());
    });
    await(serverVertx.deployVerticle("rdma:counts", new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options())
      .toJson())));
    RdmaBusClient bus = await(client.connectBus("counts"));
    AtomicInteger next = new AtomicInteger();
    AtomicInteger answered = new AtomicInteger();
    Set<String> failures = ConcurrentHashMap.newKeySet();
    Context context = clientVertx.getOrCreateContext();
    for (int i = 0; i < WINDOW; i++) {
      context.runOnContext(v -> request(bus, next, answered, failures));
    }
    lives(reporter, () -> bus.fabric().device(), answered::get);
    assertEquals(0, twice.get());
    assertTrue(failures.stream().allMatch(name -> name.equals("CONNECTION_LOST")), failures::toString);
    await(bus.close());
  }

  private static void request(RdmaBusClient bus, AtomicInteger next, AtomicInteger answered, Set<String> failures) {
    Future<Message<Integer>> answer = bus.request(next.getAndIncrement());
    answer.onComplete(done -> {
      if (done.succeeded()) {
        answered.incrementAndGet();
      } else if (done.cause() instanceof RdmaException lost) {
        if (lost.reason() == Reason.CLOSED) {
          return;
        }
        failures.add(lost.reason().name());
      } else {
        failures.add(String.valueOf(done.cause()));
      }
      request(bus, next, answered, failures);
    });
  }
}
