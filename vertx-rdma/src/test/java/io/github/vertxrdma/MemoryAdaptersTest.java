package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.Outage;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDomain;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices in memory that report that they carry nothing. Client and server have two each, and none in common. */
class MemoryAdaptersTest extends AdaptersContract {
  private static final String FABRIC = "rails";
  private static final AtomicInteger NODES = new AtomicInteger();
  private static final int OUTAGE = 6;
  private static final int ENDED = 8;

  private final Rail[][] rails = new Rail[2][2];
  private int made;

  private static final class Rail extends ForwardingDevice {
    private volatile String outage = "";

    Rail(Device base, int number) {
      super(base, FABRIC + '-' + number);
    }

    @Override
    public String fabric() {
      return FABRIC;
    }

    @Override
    public Domain open() {
      return new ForwardingDomain(this, raw().open()) {
        @Override
        public String outage() {
          return outage;
        }
      };
    }
  }

  @Override
  String fabric() {
    return FABRIC;
  }

  @Override
  VertxOptions vertxOptions() {
    return super.vertxOptions().setEventLoopPoolSize(4);
  }

  /** Devices of the server first, then of the client, then the client's again. */
  @Override
  RdmaOptions options() {
    String name = "rails-" + NODES.getAndIncrement();
    int node = Math.min(made++, 1);
    Device base = InMemoryFabric.named(FABRIC).device();
    for (int i = 0; i < 2; i++) {
      if (rails[node][i] == null) {
        rails[node][i] = new Rail(base, i);
      }
    }
    InMemoryFabric.named(name).inFront(device -> rails[node][device.endpointType() == EndpointType.MSG ? 0 : 1]);
    // Silence alone must not end a peer.
    return super.options().setDeadTimeout(Duration.ofMinutes(2)).setSettings(new JsonObject().put("memory.name", name));
  }

  @Override
  List<String> devices() {
    return List.of(FABRIC + "-0", FABRIC + "-1");
  }

  @Override
  void carries(int device, boolean it) {
    rails[1][device].outage = it ? "" : "its port is down";
  }

  @Test
  @Tag("full")
  void aPeerWhoseDeviceCarriesNothingIsMetByItsOther() throws Exception {
    await(server.createServer().connectHandler(c -> c.endHandler(v -> c.end())).listen("orders"));
    assertEquals(devices().getFirst(), deviceOf(client, clientVertx.getOrCreateContext()));
    rails[0][0].outage = "its port is down";
    Rdma other = Rdma.create(clientVertx, options());
    until("it is met by the other", () -> deviceOfNext(other).equals(devices().getLast()));
    rails[0][0].outage = "";
    until("it is met by the first again", () -> deviceOfNext(other).equals(devices().getFirst()));
  }

  /**
   * One of two devices of a side carries nothing while its event loops are blocked: the other side ends connections over it, and keeps
   * those over the other one.
   */
  @ParameterizedTest
  @ValueSource(strings = {"server", "client"})
  void aBlockedLoopKeepsWhatGoesOverTheOther(String side) throws Exception {
    Ends ofServer = new Ends();
    Ends ofClient = new Ends();
    Rdma spread = Rdma.create(clientVertx, options().setDeviceSpread(DeviceSpread.LOOP));
    Context serverContext = serverVertx.getOrCreateContext();
    await(on(serverContext, () -> server.createServer().connectHandler(c -> ofServer.add(c).handler(c::write)).listen("orders")));
    VertxInternal clients = (VertxInternal) clientVertx;
    List<Context> clientContexts = List.of(clients.createEventLoopContext(), clients.createEventLoopContext());
    for (Context context : clientContexts) {
      await(on(context, () -> spread.connect("orders").onSuccess(ofClient::add)));
    }
    assertEquals(Set.copyOf(devices()), ofClient.open.keySet());
    until("the server has both", () -> ofServer.open.size() == 2);
    boolean isServer = side.equals("server");
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(isServer ? 1 : 2);
    for (Context context : isServer ? List.of(serverContext) : clientContexts) {
      context.runOnContext(v -> {
        blocked.countDown();
        hold(over);
      });
    }
    hold(blocked);
    rails[isServer ? 0 : 1][0].outage = "its port is down";
    Ends told = isServer ? ofClient : ofServer;
    try {
      until("the first is given up", () -> told.lost.containsKey(devices().getFirst()));
      assertTrue(told.lost.get(devices().getFirst()).getMessage().contains("its port is down"), told.lost::toString);
    } finally {
      over.countDown();
    }
    Promise<Buffer> echo = Promise.promise();
    RdmaConnection other = ofClient.open.get(devices().getLast());
    clientContexts.getLast()
      .runOnContext(v -> other.handler(echo::tryComplete).write(Buffer.buffer("still here")).onFailure(echo::tryFail));
    assertEquals("still here", await(echo.future()).toString());
    assertEquals(Set.of(devices().getFirst()), told.lost.keySet());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aDeviceThatJustWentDownIsNotTriedFirst(int device) throws Exception {
    await(server.createServer().connectHandler(c -> c.endHandler(v -> c.end())).listen("orders"));
    Rdma spread = Rdma.create(clientVertx, options().setDeviceSpread(DeviceSpread.LOOP));
    for (int i = 0; i < 2; i++) {
      deviceOf(spread, ((VertxInternal) clientVertx).createEventLoopContext());
    }
    carries(device, false);
    for (int i = 0; i < 2; i++) {
      assertEquals(devices().get(1 - device), deviceOf(spread, ((VertxInternal) clientVertx).createEventLoopContext()));
    }
  }

  /**
   * Peers are notified of an outage at once, and of the end of connections over the device after they have ended, which a blocked loop may
   * delay. Peers whose control connection is made later are notified of both.
   */
  @Test
  void peersAreNotifiedWhenConnectionsHaveEnded() throws Exception {
    Context serverContext = serverVertx.getOrCreateContext();
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    await(on(serverContext, () -> server.createServer().connectHandler(c -> c.handler(m -> {
      blocked.countDown();
      hold(over);
    })).listen("orders")));
    String id = await(server.directory()).self().nodeId();
    NodeEntry node = await(client.directory()).node(id).orElseThrow();
    List<String> told = new CopyOnWriteArrayList<>();
    List<String> toldLate = new CopyOnWriteArrayList<>();
    List<ControlLinks> listeners = new ArrayList<>();
    try {
      listeners.add(listen("listener", node, told));
      Outage outage = new Outage(devices().getFirst(), "its port is down");
      RdmaConnection connection = await(client.connect("orders"));
      await(connection.write(Buffer.buffer("stop here")));
      hold(blocked);
      rails[0][0].outage = outage.reason();
      until("they are told", () -> !told.isEmpty());
      assertEquals(List.of(OUTAGE + " " + outage), told);
      over.countDown();
      until("they are told of the end", () -> told.size() == 2);
      assertEquals(ENDED + " " + outage, told.getLast());
      listeners.add(listen("latecomer", node, toldLate));
      until("the latecomer is told both", () -> toldLate.size() == 2);
      assertEquals(told, toldLate);
    } finally {
      over.countDown();
      for (ControlLinks listener : listeners) {
        await(listener.close());
      }
    }
  }

  @Test
  void aConnectUnderWayIsGivenUpWithItsDevice() throws Exception {
    Context serverContext = serverVertx.getOrCreateContext();
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    await(on(serverContext, () -> server.createServer().connectHandler(c -> c.handler(m -> {
      blocked.countDown();
      hold(over);
    })).listen("orders")));
    await(await(client.connect("orders")).write(Buffer.buffer("stop here")));
    hold(blocked);
    try {
      Future<RdmaConnection> connecting = client.connect("orders");
      until("it is under way", () -> statistics(client).devices().stream().anyMatch(use -> use.device().equals(devices().getFirst())
        && use.connections().stream().anyMatch(each -> each.outgoing() && !each.open())));
      rails[0][0].outage = "its port is down";
      String reason = "the peer cannot be reached: its " + devices().getFirst() + " does not transfer messages: its port is down";
      until("it is given up", () -> statistics(client).errors().stream().anyMatch(error -> error.contains(reason)));
      over.countDown();
      assertEquals(devices().getLast(), await(connecting).fabric().device());
    } finally {
      over.countDown();
    }
  }

  private ControlLinks listen(String id, NodeEntry node, List<String> told) throws Exception {
    AtomicReference<NodeEntry> self = new AtomicReference<>(NodeEntry.local(id, 1));
    ControlLinks listener = new ControlLinks(((VertxInternal) clientVertx).createEventLoopContext(), new ControlSettings("127.0.0.1"),
      ClusterSecret.load(null), self::get);
    for (int kind : new int[] {OUTAGE, ENDED}) {
      listener.messageHandler(kind, (link, message) -> told.add(kind + " " + Outage.decode(message)));
    }
    self.set(self.get().withControl("127.0.0.1", await(listener.listen())));
    await(listener.link(node));
    return listener;
  }

  private static void hold(CountDownLatch latch) {
    try {
      assertTrue(latch.await(PATIENCE, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Ends {
    final Map<String, RdmaConnection> open = new ConcurrentHashMap<>();
    final Map<String, Throwable> lost = new ConcurrentHashMap<>();

    RdmaConnection add(RdmaConnection connection) {
      String device = connection.fabric().device();
      connection.exceptionHandler(cause -> lost.put(device, cause));
      open.put(device, connection);
      return connection;
    }
  }

  private String deviceOfNext(Rdma rdma) {
    try {
      return deviceOf(rdma, clientVertx.getOrCreateContext());
    } catch (Exception e) {
      return e.toString();
    }
  }
}
