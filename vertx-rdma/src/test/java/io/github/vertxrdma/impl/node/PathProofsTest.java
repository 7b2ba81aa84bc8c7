package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.node.PathProofs.Outcome;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Announcements of TCP connections by honest and hostile peers. */
@Timeout(60)
class PathProofsTest {
  private static final String SERVICE = "tcp/127.0.0.1:8080";
  private static final int PORT = 50_123;
  private static final SocketAddress CLIENT = new InetSocketAddress("127.0.0.1", PORT);
  private static final long MILLIS = 20_000;

  @TempDir
  Path folder;
  private final List<Vertx> open = new CopyOnWriteArrayList<>();
  private PathProofs client;
  private PathProofs server;
  private NodeEntry peer;
  private Node clientNode;
  private Node serverNode;
  /** Results of holds: whether the application got the connection. */
  private final List<Boolean> ends = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() throws Exception {
    serverNode = node();
    clientNode = node();
    server = serverNode.paths();
    client = clientNode.paths();
    peer = serverNode.directory().self();
  }

  @AfterEach
  void close() throws Exception {
    for (Vertx each : open.reversed()) {
      await(each.close());
    }
  }

  private Node node() throws Exception {
    Vertx of = Vertx.vertx();
    open.add(of);
    RdmaOptions options = new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()));
    await(Rdma.create(of, options).directory());
    SharedNode shared = SharedNode.acquire((VertxInternal) of, options, null);
    try {
      return await(shared.node());
    } finally {
      await(shared.release());
    }
  }

  private long announce() throws Exception {
    return await(client.announce(peer, SERVICE, PORT, MILLIS));
  }

  private boolean arrives() {
    return server.hold(SERVICE, CLIENT, ends::add);
  }

  /** Runs an action as one task of the server's event loop: no time limit of a hold or a release passes meanwhile. */
  private void inOneTask(Runnable action) throws Exception {
    serverNode.context.nettyEventLoop().submit(action).get(20, TimeUnit.SECONDS);
  }

  private Outcome release(long id) throws Exception {
    return await(client.release(peer, id, MILLIS));
  }

  @Test
  void announcedConnectionIsConfirmedAndClosedWhenAFabricConnectionNamesIt() throws Exception {
    long id = announce();
    Future<Void> arrival = client.arrival(peer, id, MILLIS);
    inOneTask(() -> {
      assertTrue(arrives());
      assertTrue(server.replace(clientNode.directory().nodeId(), id));
      assertEquals(List.of(false), ends);
      assertTrue(server.replace(clientNode.directory().nodeId(), id), "it may be named again, over another fabric");
    });
    await(arrival);
    assertEquals(Outcome.REPLACED, release(id));
    assertEquals(List.of(false), ends);
  }

  @Test
  void nodeProvesThePathToItself() throws Exception {
    long id = await(server.announce(peer, SERVICE, PORT, MILLIS));
    assertTrue(arrives());
    await(server.arrival(peer, id, MILLIS));
  }

  @Test
  void applicationGetsTheConnectionAndTheFabricConnectionIsRefusedWhenTheClientReleasesIt() throws Exception {
    long id = announce();
    assertTrue(arrives());
    assertEquals(Outcome.DELIVERED, release(id));
    assertEquals(List.of(true), ends);
    assertFalse(server.replace(clientNode.directory().nodeId(), id));
  }

  @Test
  void applicationGetsTheConnectionAndTheFabricConnectionIsRefusedAfterTheTimeOfAHold() throws Exception {
    long id = await(server.announce(peer, SERVICE, PORT, MILLIS));
    Promise<Outcome> outcome = Promise.promise();
    // The hold is released at once, and the announcement expires soon after.
    assertTrue(server.hold(SERVICE, CLIENT, delivered -> {
      ends.add(delivered);
      server.release(peer, id, MILLIS).onComplete(outcome);
    }));
    assertEquals(Outcome.DELIVERED, await(outcome.future()));
    assertEquals(List.of(true), ends);
    assertFalse(server.replace(serverNode.directory().nodeId(), id));
  }

  @Test
  void releasedConnectionIsNotHeldBackWhenItArrivesLate() throws Exception {
    inOneTask(() -> {
      long id = server.announce(peer, SERVICE, PORT, MILLIS).result();
      Future<Outcome> released = server.release(peer, id, MILLIS);
      assertFalse(released.isComplete());
      assertFalse(arrives());
      assertEquals(Outcome.DELIVERED, released.result());
    });
    assertEquals(List.of(), ends);
  }

  @Test
  void releaseSaysThatTheConnectionIsAbsentWhenItDoesNotArrive() throws Exception {
    long id = announce();
    assertEquals(Outcome.ABSENT, release(id));
    assertFalse(server.replace(clientNode.directory().nodeId(), id));
    assertFalse(arrives());
  }

  @Test
  void releaseSaysThatTheSourceIsUnknownWhenAConnectionOfAnotherHostHasArrived() throws Exception {
    long id = announce();
    assertFalse(server.hold(SERVICE, new InetSocketAddress("10.9.9.9", PORT), ends::add));
    assertEquals(Outcome.UNKNOWN_SOURCE, release(id));
  }

  @ParameterizedTest
  @CsvSource({"tcp/127.0.0.1:8080, 10.9.9.9, 50123", "tcp/127.0.0.1:8080, 127.0.0.1, 50124", "tcp/127.0.0.1:8081, 127.0.0.1, 50123"})
  void connectionOfAnotherHostPortOrServiceIsNotHeldBack(String service, String host, int port) throws Exception {
    announce();
    assertFalse(server.hold(service, new InetSocketAddress(host, port), ends::add));
    assertTrue(arrives());
  }

  @Test
  void announcementBelongsToTheNodeThatMadeIt() throws Exception {
    Node other = node();
    await(other.paths().open(peer));
    long id = announce();
    assertThrows(ExecutionException.class, () -> await(other.paths().release(peer, id, MILLIS)));
    assertThrows(ExecutionException.class, () -> await(other.paths().arrival(peer, id, MILLIS)));
    inOneTask(() -> {
      assertTrue(arrives());
      assertFalse(server.replace(other.directory().nodeId(), id));
      assertTrue(server.replace(clientNode.directory().nodeId(), id));
    });
  }

  @Test
  void announcementsOfAPeerAreBounded() throws Exception {
    PathProofs other = node().paths();
    long first = announce();
    List<Future<Long>> all = new ArrayList<>();
    for (int i = 1; i < PathProofs.MOST; i++) {
      all.add(client.announce(peer, SERVICE, PORT + i, MILLIS));
    }
    await(Future.all(all));
    Throwable cause = assertThrows(ExecutionException.class, () -> await(client.announce(peer, SERVICE, 1, MILLIS))).getCause();
    assertTrue(cause.getMessage().contains(PathProofs.MOST + " TCP connections"), cause::toString);
    // Each node has its own limit, and a finished announcement does not count.
    await(other.announce(peer, SERVICE, 1, MILLIS));
    assertTrue(arrives());
    assertEquals(Outcome.DELIVERED, release(first));
    await(client.announce(peer, SERVICE, 1, MILLIS));
  }

  @ParameterizedTest
  @CsvSource({"0", "000000010001", "0000000102", "00000001010000", "000000010200000000000000000000"})
  void malformedQuestionIsReportedAndIgnored(String hex) throws Exception {
    ControlLink link = await(clientNode.control.link(peer));
    long before = serverNode.errors.refused();
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    await(link.send(9, Buffer.buffer(bytes)));
    until("it is reported", () -> serverNode.errors.refused() > before);
    announce();
    assertTrue(arrives());
  }
}
