package io.github.vertxrdma.functions;

import static io.github.vertxrdma.functions.ColdWorkerTest.process;
import static io.github.vertxrdma.functions.ColdWorkerTest.untilGone;
import static io.github.vertxrdma.functions.Nodes.assertFails;
import static io.github.vertxrdma.functions.Nodes.await;
import static io.github.vertxrdma.functions.Nodes.failure;
import static io.github.vertxrdma.functions.Nodes.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cold workers of servers in a Hazelcast cluster: the processes are not members, and survive the death of a member. */
@Timeout(300)
@Tag("full")
class ClusteredColdWorkerTest {
  private static final int MEMBERS = 4;
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60));

  private final List<Vertx> all = new ArrayList<>();
  private final List<HazelcastInstance> instances = new ArrayList<>();
  private int port;

  @BeforeEach
  void cluster() {
    port = freePorts();
  }

  @AfterEach
  void closeAll() throws Exception {
    for (Vertx vertx : all) {
      await(vertx.close());
    }
    instances.reversed().forEach(HazelcastInstance::shutdown);
  }

  private static int freePorts() {
    while (true) {
      int first = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      boolean free = true;
      for (int port = first; port < first + MEMBERS; port++) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
          free &= probe.isBound();
        } catch (java.io.IOException e) {
          free = false;
        }
      }
      if (free) {
        return first;
      }
    }
  }

  private static Vertx clustered(int port) throws Exception {
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    return await(Vertx.builder().with(options)
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("functions-" + port, port, MEMBERS))).buildClustered());
  }

  private static RdmaOptions options() {
    return new RdmaOptions().setFabric("nio");
  }

  private static FunctionServer manager(Vertx vertx, Rdma rdma) throws Exception {
    return await(FunctionServer.create(rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false)
      .setColdWorkerRdma(options()).setColdJvmOptions(ColdWorkerTest.QUICK)).listen());
  }

  private static FunctionClient lease(Vertx vertx, Rdma rdma) throws Exception {
    FunctionClient invoker = FunctionClient.create(rdma, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
    await(invoker.lease(COLD), ColdWorkerTest.PATIENCE);
    return invoker;
  }

  private Vertx node() throws Exception {
    Vertx vertx = clustered(port);
    all.add(vertx);
    return vertx;
  }

  private static Set<String> nodes(Rdma rdma) throws Exception {
    return await(rdma.directory()).nodes().stream().map(NodeEntry::nodeId).collect(Collectors.toSet());
  }

  private static void useAndKill(FunctionServer manager, Vertx vertx, Rdma rdma) throws Exception {
    FunctionClient invoker = lease(vertx, rdma);
    Set<String> before = nodes(rdma);
    ProcessHandle process = process(invoker);
    Buffer large = Buffer.buffer(new byte[100_000]);
    assertEquals(large, await(invoker.invoke("cold-echo", large, CallOptions.DEFAULT.withMaxResult(100_000))));
    until("the use of the process is on the bill", () -> ColdWorkerTest.invocations(invoker.leases().getFirst()) == 2);
    assertTrue(before.stream().noneMatch(id -> id.contains("process")), before::toString);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> invoker.leases().getFirst().workers().getFirst().inFlight() == 1);
    process.destroyForcibly();
    assertFails(Reason.WORKER_LOST, "/process-", call);
    until("its core is free", 60, () -> manager.freeCores() == 1);
    await(invoker.close());
  }

  @Test
  void coldWorkersOfAClusteredVertx() throws Exception {
    Vertx server = node();
    Vertx client = node();
    useAndKill(manager(server, Rdma.create(server, options())), client, Rdma.create(client, options()));
  }

  @Test
  @Tag("long")
  void coldWorkersWithHazelcastInstancesOfTheApplication() throws Exception {
    HazelcastInstance member = Hazelcast.newHazelcastInstance(QuietHazelcast.loopback("functions-" + port, port, MEMBERS));
    instances.add(member);
    ClientConfig config = new ClientConfig().setClusterName("functions-" + port);
    config.setProperty("hazelcast.logging.type", "none");
    config.getNetworkConfig().addAddress("127.0.0.1:" + port);
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
    instances.add(client);
    Vertx server = Vertx.vertx();
    all.add(server);
    Vertx caller = Vertx.vertx();
    all.add(caller);
    FunctionServer manager = manager(server, Rdma.create(server, options(),
      await(HazelcastDirectory.open(server, member, new DirectoryOptions()))));
    useAndKill(manager, caller, Rdma.create(caller, options(),
      await(HazelcastDirectory.open(caller, client, new DirectoryOptions()))));
  }

  /** The death of a third member has no effect; that of the server ends the worker. */
  @Test
  @Tag("long")
  void killedServerEndsWorkerAndKilledMemberDoesNot() throws Exception {
    Vertx client = node();
    Rdma rdma = Rdma.create(client, options());
    try (ChildJvm manager = ChildJvm.start(Manager.class, Integer.toString(port));
      ChildJvm other = ChildJvm.start(Other.class, Integer.toString(port))) {
      manager.await("ready");
      other.await("ready");
      FunctionClient invoker = lease(client, rdma);
      ProcessHandle process = process(invoker);
      int members = Hazelcast.getAllHazelcastInstances().iterator().next().getCluster().getMembers().size();
      assertEquals(3, members);
      other.kill();
      until("it is gone", 60, () -> Hazelcast.getAllHazelcastInstances().iterator().next().getCluster().getMembers().size() == 2);
      assertEquals(process.pid(), process(invoker).pid());
      Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
      until("it is under way", () -> invoker.leases().getFirst().workers().getFirst().inFlight() == 1);
      manager.kill();
      FunctionException lost = failure(call);
      assertTrue(lost.reason() == Reason.WORKER_LOST || lost.reason() == Reason.LEASE_ENDED, lost.toString());
      untilGone(process);
      assertEquals(List.of(), invoker.leases());
      await(invoker.close());
    }
  }

  static final class Manager {
    public static void main(String[] args) throws Exception {
      Vertx vertx = clustered(Integer.parseInt(args[0]));
      manager(vertx, Rdma.create(vertx, options()));
      System.out.println("ready");
      System.in.read();
      System.exit(0);
    }
  }

  static final class Other {
    public static void main(String[] args) throws Exception {
      clustered(Integer.parseInt(args[0]));
      System.out.println("ready");
      System.in.read();
      System.exit(0);
    }
  }
}
