package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.ControlCut;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.provider.Device;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node with the cluster secret that sends its peers false reports about its devices. */
@Timeout(120)
class OutagesTest {
  private static final int OUTAGE = 6;
  private static final int ENDED = 8;
  private static final int UNKNOWN = 99;
  private static final String LIAR = "liar";
  private static final String HONEST = "honest";

  @TempDir
  Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final Map<String, Vertx> servers = Map.of(LIAR, Vertx.vertx(), HONEST, Vertx.vertx());
  private final Map<String, RdmaConnection> connections = new ConcurrentHashMap<>();
  private final Map<String, Throwable> lost = new ConcurrentHashMap<>();
  private final Map<String, Promise<Buffer>> echoes = new ConcurrentHashMap<>();
  private Node told;
  private String liarId;
  private ControlLink liar;

  private RdmaOptions options() {
    return new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()));
  }

  private Node node(Vertx of) throws Exception {
    SharedNode shared = SharedNode.acquire((VertxInternal) of, options(), null);
    try {
      return await(shared.node());
    } finally {
      await(shared.release());
    }
  }

  @BeforeEach
  void connect() throws Exception {
    Rdma client = Rdma.create(vertx, options());
    for (String name : servers.keySet()) {
      await(Rdma.create(servers.get(name), options()).createServer().connectHandler(c -> c.handler(c::write)).listen(name));
      await(client.connect(name).onSuccess(made -> {
        connections.put(name, made);
        made.exceptionHandler(cause -> lost.put(name, cause)).handler(message -> echoes.get(name).tryComplete(message));
      }));
    }
    told = node(vertx);
    Node node = node(servers.get(LIAR));
    liarId = node.directory().nodeId();
    liar = await(node.control.link(told.directory().self()));
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
    for (Vertx server : servers.values()) {
      await(server.close());
    }
  }

  private void carries(String name) throws Exception {
    Promise<Buffer> echo = Promise.promise();
    echoes.put(name, echo);
    connections.get(name).write(Buffer.buffer("still here"));
    assertEquals("still here", await(echo.future()).toString());
  }

  @Test
  void peerThatReportsOutageLosesOnlyItsConnections() throws Exception {
    String device = connections.get(LIAR).fabric().device();
    await(liar.send(ENDED, new Outage("another", "its port is down").encode()));
    await(liar.send(ENDED, new Outage("", "its port is down").encode()));
    await(liar.send(OUTAGE, new Outage(device, "its port is down").encode()));
    until("the device is known to be out", () -> told.failover.isDown(liarId, device) || !lost.isEmpty());
    carries(LIAR);
    await(liar.send(ENDED, new Outage(device, "its port is down").encode()));
    until("it is believed", () -> lost.containsKey(LIAR));
    assertTrue(lost.get(LIAR).getMessage().contains("the peer has ended the connection: its " + device + " does not transfer "
      + "messages: its port is down"), lost::toString);
    carries(HONEST);
    assertEquals(List.of(LIAR), List.copyOf(lost.keySet()));
  }

  /** The cause of an outage may also cut the control connection, and the report of its end be lost. */
  @Test
  void outagesEndWithTheirControlConnection() throws Exception {
    await(liar.send(OUTAGE, new Outage("its device", "its port is down").encode()));
    until("the device is known to be out", () -> told.failover.isDown(liarId, "its device"));
    ControlCut.cut(liar);
    until("it is no more", () -> !told.failover.isDown(liarId, "its device"));
    carries(LIAR);
    assertEquals(Map.of(), lost);
  }

  /** A stopped process reads nothing, and its connection is full of others' messages. */
  @Test
  void lateReaderReceivesAllOutages() throws Exception {
    VertxInternal late = (VertxInternal) servers.get(LIAR);
    Node reader = node(late);
    ControlLink link = await(told.control.link(reader.directory().self()));
    Device device = told.devices.ranked().getFirst();
    CountDownLatch goesOn = new CountDownLatch(1);
    late.nettyEventLoopGroup().forEach(loop -> loop.execute(() -> {
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }));
    List<Future<Void>> sent = new ArrayList<>();
    try {
      until("it takes no more", () -> {
        sent.add(link.send(UNKNOWN, Buffer.buffer(new byte[1 << 19])));
        return sent.stream().anyMatch(Future::failed);
      });
      DeviceFailover.send(link, OUTAGE, device, "its port is down");
    } finally {
      goesOn.countDown();
    }
    until("it has heard", () -> reader.failover.isDown(told.directory().nodeId(), device.name()));
  }

  @Test
  void outagesOfOnePeerAreLimited() throws Exception {
    int most = 64;
    for (int i = 0; i <= most; i++) {
      await(liar.sendNext(OUTAGE, new Outage("device " + i, "its port is down").encode()));
    }
    await(liar.sendNext(OUTAGE, new Outage("device 0", "").encode()));
    until("the last message has arrived", () -> told.failover.isDown(liarId, "device 1") && !told.failover.isDown(liarId, "device 0"));
    assertTrue(told.failover.isDown(liarId, "device " + (most - 1)));
    assertFalse(told.failover.isDown(liarId, "device " + most));
  }

  @Test
  void longNamesAreNotKept() throws Exception {
    long before = told.errors.refused();
    int messages = 64;
    for (int i = 0; i < messages; i++) {
      await(liar.sendNext(i % 2 == 0 ? OUTAGE : ENDED, new Outage(i + "x".repeat(60_000), "its port is down").encode()));
    }
    until("all are refused", () -> told.errors.refused() == before + messages);
    assertTrue(told.errors.last().getLast().contains("more than 256 characters"), told.errors.last()::toString);
    carries(LIAR);
    carries(HONEST);
  }
}
