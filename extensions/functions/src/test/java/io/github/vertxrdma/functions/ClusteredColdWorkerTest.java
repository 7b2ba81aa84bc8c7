package io.github.vertxrdma.functions;

import static io.github.vertxrdma.functions.Nodes.await;
import static io.github.vertxrdma.functions.Nodes.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cold workers of servers in a Hazelcast cluster: the processes are not members, and survive the death of a member. */
@Timeout(300)
@Tag("full")
class ClusteredColdWorkerTest {
  private static final RdmaOptions OPTIONS = new RdmaOptions().setFabric("nio");
  /** Hazelcast uses the next port if another process has one. */
  private static final int PORTS = 10;

  private final int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
  private final List<Vertx> all = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (Vertx vertx : all) {
      await(vertx.close());
    }
  }

  private HazelcastInstance member() throws Exception {
    HazelcastClusterManager manager = new HazelcastClusterManager(QuietHazelcast.loopback("functions-" + port, port, PORTS));
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    all.add(await(Vertx.builder().with(options).withClusterManager(manager).buildClustered()));
    return manager.getHazelcastInstance();
  }

  @Test
  void coldWorkerIsNoMemberAndSurvivesTheDeathOfAnother() throws Exception {
    member();
    member();
    HazelcastInstance third = member();
    Rdma server = Rdma.create(all.get(0), OPTIONS);
    await(FunctionServer.create(server, new FunctionServerOptions().setCores(1).setLoadProviders(false)
      .setColdWorkerRdma(OPTIONS).setColdJvmOptions(ColdWorkerTest.QUICK)).listen());
    Rdma client = Rdma.create(all.get(1), OPTIONS);
    RdmaDirectory directory = await(client.directory());
    String dying = await(Rdma.create(all.get(2), OPTIONS).directory()).nodeId();
    await(directory.awaitNode(dying, Duration.ofSeconds(30)));
    FunctionClient invoker = FunctionClient.create(client, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
    await(invoker.lease(new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60))), ColdWorkerTest.PATIENCE);
    ProcessHandle process = ColdWorkerTest.process(invoker);
    List<String> nodes = directory.nodes().stream().map(NodeEntry::nodeId).toList();
    assertTrue(nodes.stream().noneMatch(id -> id.contains("process")), nodes::toString);
    assertEquals(3, third.getCluster().getMembers().size());
    third.getLifecycleService().terminate();
    until("it is gone", 60, () -> directory.node(dying).isEmpty());
    Buffer large = Buffer.buffer(new byte[100_000]);
    assertEquals(large, await(invoker.invoke("cold-echo", large, CallOptions.DEFAULT.withMaxResult(100_000))));
    assertEquals(process.pid(), ColdWorkerTest.process(invoker).pid());
    await(invoker.close());
  }
}
