package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.DeviceSpread;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.process.BoundThread;
import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.nic.Nic;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Event loops whose threads are bound to a processor of one of two NUMA nodes, each with a device: connections use the device near their
 * loop. The devices are in user space, and folders of this test replace the kernel's, so the machine needs two processors but no NUMA
 * nodes.
 */
@Timeout(120)
class NumaSpreadTest {
  private static final String FIRST = "mlx5";
  private static final String SECOND = "nic";
  private static final int LOOPS = 3;

  @TempDir
  Path folder;
  private final Vertx server = Vertx.vertx();
  private final VertxInternal client = (VertxInternal) Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
  private SharedNode shared;
  private Path nodes;
  /** Processor of the first node; the next field has that of the second. */
  private int low;
  private int high;

  @BeforeEach
  void twoNodes() throws IOException {
    assumeTrue(Nic.built().missing() == null, Nic.built().missing());
    BitSet processors = BoundThread.processors();
    assumeTrue(processors.cardinality() > 1, "needs two processors");
    low = processors.nextSetBit(0);
    high = processors.nextSetBit(low + 1);
    nodes = folder.resolve("node");
    // The first device by name is on the second node.
    write(folder.resolve("sys/class/infiniband/" + FIRST + "/device/numa_node"), "1");
    write(folder.resolve("sys/class/infiniband/" + SECOND + "/device/numa_node"), "0");
    write(nodes.resolve("node0/cpulist"), "" + low);
    write(nodes.resolve("node1/cpulist"), "" + high);
    Nic.built().provide(FIRST, SECOND);
    Nic.sysfs(folder.resolve("sys"));
  }

  @AfterEach
  void close() throws Exception {
    if (shared != null) {
      await(shared.release());
    }
    await(client.close());
    await(server.close());
    Nic.withdraw();
  }

  private static void write(Path file, String words) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, words + "\n");
  }

  private RdmaOptions options() {
    // The connection manager gives the addresses of this host to one device only; devices that were found before have other folders.
    return new RdmaOptions().setFabric("verbs-rocev2").setDeviceSpread(DeviceSpread.NUMA)
      .setSettings(new JsonObject().put("verbs.device", FIRST + ',' + SECOND).put("verbs.connect", "exchange")
        .put("runtime", folder.resolve("runtime").toString()))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()));
  }

  private Future<Integer> bind(Node node, ContextInternal context, int processor) {
    Promise<Integer> bound = Promise.promise();
    context.runOnContext(v -> {
      BoundThread.to(processor);
      int home = BoundThread.node(nodes);
      node.failover.choice.bound(context.nettyEventLoop(), home);
      bound.complete(home);
    });
    return bound.future();
  }

  /** Connects from a loop. @return the device that carried a message there and back */
  private static Future<String> deviceOf(Rdma rdma, ContextInternal context) {
    Promise<String> device = Promise.promise();
    context.runOnContext(v -> rdma.connect("orders").onSuccess(connection -> {
      connection.handler(echo -> device.tryComplete(connection.fabric().device())).closeHandler(end -> device.tryFail("closed"));
      connection.write(Buffer.buffer("good morning"));
    }).onFailure(device::tryFail));
    return device.future();
  }

  @Test
  void connectionsGoOverTheDeviceNearTheirLoop() throws Exception {
    await(Rdma.create(server, options()).createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
    Rdma rdma = Rdma.create(client, options());
    await(rdma.directory());
    shared = SharedNode.acquire(client, options(), null);
    Node node = await(shared.node());
    Map<EventLoop, ContextInternal> loops = new LinkedHashMap<>();
    while (loops.size() < LOOPS) {
      ContextInternal context = client.createEventLoopContext();
      loops.putIfAbsent(context.nettyEventLoop(), context);
    }
    ContextInternal[] contexts = loops.values().toArray(ContextInternal[]::new);
    assertEquals(0, await(bind(node, contexts[0], low)));
    assertEquals(1, await(bind(node, contexts[1], high)));
    node.failover.choice.bound(contexts[2].nettyEventLoop(), NumaNode.NONE);
    for (int round = 0; round < 2; round++) {
      assertEquals("verbs:" + SECOND, await(deviceOf(rdma, contexts[0])), "near the loop of node 0");
      assertEquals("verbs:" + FIRST, await(deviceOf(rdma, contexts[1])), "near the loop of node 1");
      assertEquals("verbs:" + FIRST, await(deviceOf(rdma, contexts[2])), "the first by name, for a loop of no node");
    }
  }
}
