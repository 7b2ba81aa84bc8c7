package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.impl.support.Ports;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes start, fail to start, and start again. */
@Timeout(60)
class NodeStartTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();

  @TempDir
  Path folder;

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private RdmaOptions options() {
    return new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()).setNodeId("one"));
  }

  @Test
  void nothingOfItTakesAnEventLoopForLong() throws Exception {
    RdmaOptions options = options().setDirectory(new DirectoryOptions().setType(NotingDirectories.TYPE));
    NotingDirectories.ON_EVENT_LOOPS.clear();
    Node node = awaitOnContext(vertx, () -> Node.start(vertx, options, null));
    assertEquals(NotingDirectories.TYPE, node.directory().type());
    await(node.close());
    assertEquals(List.of(), NotingDirectories.ON_EVENT_LOOPS);
  }

  @Test
  void groupOfSharedMemoryThatIsSetAndCannotBeUsedIsWarning() throws Exception {
    for (String group : List.of("", "no-such-group")) {
      RdmaOptions options = options().setFabric(null);
      if (!group.isEmpty()) {
        options.setSettings(new JsonObject().put("shm.group", group));
      }
      try (LogLines log = new LogLines(ProcessDevices.class)) {
        await(Node.start(vertx, options, null).compose(Node::close));
        List<String> warnings = log.warnings().stream().filter(line -> line.startsWith("cannot use shared memory (shm): ")).toList();
        assertEquals(group.isEmpty() ? 0 : 1, warnings.size(), log.lines()::toString);
        assertTrue(warnings.stream().allMatch(line -> line.contains(group)), warnings::toString);
      }
    }
  }

  /** This happens with a cluster manager that blocks. */
  @Test
  void startThatWaitsForDirectoryIsLogged() throws Exception {
    // Loads classes: the message names what the start waits for after 5 s.
    await(Node.start(vertx, options(), null).compose(Node::close));
    Promise<Void> taken = Promise.promise();
    DirectoryBackend real = await(DirectoryBackend.open(vertx, options().getDirectory()));
    DirectoryBackend slow = (DirectoryBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> {
        Object result = method.invoke(real, arguments);
        return method.getName().equals("publish") ? taken.future().compose(v -> (Future<?>) result) : result;
      });
    try (LogLines log = new LogLines(Node.class)) {
      Future<Node> start = Node.start(vertx, options(), slow);
      Await.until("the wait is logged", () -> log.lines().contains("The start of RDMA has waited for the " + real.where()
        + " to take its entry for 5000 ms, and continues to wait"));
      taken.complete();
      await(await(start).close());
    }
  }

  /** Otherwise the node id would stay taken. */
  @Test
  void failedStartClosesTheDirectory() throws Exception {
    String message = assertThrows(ExecutionException.class, () -> await(Node.start(vertx, options().setControlPort(65_530)
      .setControlPortCount(10), null))).getCause().getMessage();
    assertEquals("invalid range of control ports 65530-65539: use a range within 1-65535, or 0 for any free port", message);
    assertEquals("one", await(Node.start(vertx, options(), null)).directory().nodeId());
  }

  @Test
  void anRdmaWhoseNodeCouldNotStartTriesAgain() throws Exception {
    Rdma rdma;
    try (ServerSocket taken = new ServerSocket(Ports.free(), 1, InetAddress.getLoopbackAddress())) {
      rdma = Rdma.create(vertx, options().setControlPort(taken.getLocalPort()).setControlPortCount(1));
      for (int i = 0; i < 2; i++) {
        assertThrows(ExecutionException.class, () -> await(rdma.directory()));
      }
    }
    assertEquals("one", await(rdma.directory()).nodeId());
    await(rdma.close());
  }

  @Test
  void aDeviceIsHeldOnceByANode() throws Exception {
    // With this setting no device is shared with nodes of other tests.
    String runtime = folder.resolve("run").toString();
    Node node = await(Node.start(vertx, options().setSettings(new JsonObject().put("runtime", runtime)), null));
    Device device = node.devices.ranked().getFirst();
    Domain domain = node.devices.acquire(device);
    assertSame(domain, node.devices.acquire(device));
    ProcessDevices devices = ProcessDevices
      .find(new DiscoveryOptions(InetAddress.getLoopbackAddress(), Map.of("fabric", "nio", "runtime", runtime)));
    assertSame(domain, devices.acquire(device));
    devices.release(domain);
    devices.release(domain); // releases the node's use
    assertNotSame(domain, devices.acquire(device));
    await(node.close());
  }

  @Test
  void eachNodeMeetsOthersInTheFolderThatItsPropertyNames() throws Exception {
    for (String name : List.of("here", "there")) {
      Path runtime = folder.resolve(name);
      System.setProperty("vertx.rdma.runtime", runtime.toString());
      try {
        Node node = await(Node.start(vertx, options().setFabric("shm"), null));
        assertTrue(Files.isDirectory(runtime.resolve("shm")), name);
        await(node.close());
      } finally {
        System.clearProperty("vertx.rdma.runtime");
      }
    }
  }

  /** This happens when a verticle is deployed again. */
  @Test
  void nodeStartedWhileItsPredecessorClosesReplacesIt() throws Exception {
    RdmaOptions options = options().setDirectory(new DirectoryOptions().setType(NotingDirectories.TYPE)).setControlPort(Ports.free());
    NotingDirectories.BESIDE_ANOTHER.clear();
    SharedNode first = SharedNode.acquire(vertx, options, null);
    await(first.node());
    Future<Void> closed = first.release();
    SharedNode second = SharedNode.acquire(vertx, options, null);
    SharedNode third = SharedNode.acquire(vertx, options, null);
    assertSame(await(second.node()), await(third.node()));
    assertEquals(List.of(), NotingDirectories.BESIDE_ANOTHER);
    assertTrue(closed.isComplete());
    await(second.release());
    await(third.release());
  }

  @Test
  void itIsGivenBackOnce() throws Exception {
    SharedNode first = SharedNode.acquire(vertx, options(), null);
    SharedNode second = SharedNode.acquire(vertx, options(), null);
    await(first.release());
    await(first.release());
    await(second.node());
    Future<Void> closed = second.release();
    assertSame(closed, second.release());
    await(closed);
  }
}
