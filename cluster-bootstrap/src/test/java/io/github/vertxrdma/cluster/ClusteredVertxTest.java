package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.service;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.config.Config;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ClusteredVertxTest {

  static Vertx clustered(int port) throws Exception {
    return clustered(Clusters.config(port));
  }

  private static Vertx clustered(Config config) throws Exception {
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    return await(Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(config)).buildClustered());
  }

  private static DirectoryBackend open(Vertx vertx) throws Exception {
    return open(vertx, new DirectoryOptions());
  }

  private static DirectoryBackend open(Vertx vertx, DirectoryOptions options) throws Exception {
    DirectoryBackend directory = await(DirectoryBackend.open(vertx, options));
    await(directory.publish(directory.self()));
    return directory;
  }

  @Test
  void directoryOfClusteredVertxIsFoundAutomatically() throws Exception {
    int port = Clusters.freePorts();
    Vertx first = clustered(port);
    Vertx second = clustered(port);
    try {
      DirectoryBackend a = open(first);
      DirectoryBackend b = open(second);
      assertEquals("hazelcast", a.type());
      // The network stack's own directory may have used the id first.
      String id = ((VertxInternal) first).clusterManager().getNodeId();
      assertTrue(a.nodeId().equals(id) || a.nodeId().equals(id + ".2"), a.nodeId());
      DirectoryBackend another = open(first);
      assertNotEquals(a.nodeId(), another.nodeId(), "two directories must not take each other's entries for their own");
      await(a.publish(service(a, "orders")));
      assertEquals(a.nodeId(), await(b.awaitServices("orders", Duration.ofSeconds(30))).getFirst().nodeId());
      await(first.close());
      until("the node is gone", () -> b.node(a.nodeId()).isEmpty());
    } finally {
      await(first.close());
      await(second.close());
    }
  }

  /** In a control group with few threads Netty's global thread may not start. Here it is busy. */
  @Test
  void nodeLeavesItsClusterWithoutTheGlobalThreadOfNetty() throws Exception {
    int port = Clusters.freePorts();
    Vertx first = clustered(port);
    Vertx second = clustered(port);
    CountDownLatch busy = new CountDownLatch(1);
    try {
      DirectoryBackend a = open(first);
      DirectoryBackend b = open(second);
      await(b.awaitNode(a.nodeId(), Duration.ofSeconds(30)));
      GlobalEventExecutor.INSTANCE.execute(() -> {
        try {
          busy.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      first.close();
      until("the node is gone", () -> b.node(a.nodeId()).isEmpty());
    } finally {
      busy.countDown();
      await(first.close());
      await(second.close());
    }
  }

  @Test
  void isFoundBehindAClusterManagerAroundHazelcasts() throws Exception {
    HazelcastClusterManager inner = new HazelcastClusterManager(Clusters.config(Clusters.freePorts()));
    ClusterManager around = (ClusterManager) Proxy.newProxyInstance(ClusterManager.class.getClassLoader(),
      new Class<?>[] {ClusterManager.class}, (proxy, method, args) -> method.invoke(inner, args));
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    Vertx vertx = await(Vertx.builder().with(options).withClusterManager(around).buildClustered());
    try {
      assertEquals("hazelcast", open(vertx).type());
      assertEquals("hazelcast", open(vertx, new DirectoryOptions().setType(HazelcastDirectory.TYPE)).type());
    } finally {
      await(vertx.close());
    }
  }

  /** With another cluster manager than Hazelcast's, that is the default. */
  @Test
  void startLineSaysThatMembersOnOtherHostsAreUnknown() throws Exception {
    Vertx vertx = clustered(Clusters.freePorts());
    try (LogLines log = new LogLines("io.github.vertxrdma.impl.node.Node")) {
      DirectoryOptions directory = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST);
      await(Rdma.create(vertx, new RdmaOptions().setFabric("nio").setDirectory(directory)).directory());
      until("it has started", () -> log.lines().stream()
        .anyMatch(line -> line.endsWith("; members of the cluster on other hosts are unknown to this directory: name them with "
          + "DirectoryOptions.addPeer")));
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void settingsForAnotherClusterAreRefused() throws Exception {
    Vertx vertx = clustered(Clusters.freePorts());
    try {
      for (String type : List.of(DirectoryOptions.AUTO, HazelcastDirectory.TYPE)) {
        DirectoryOptions options = new DirectoryOptions().setType(type)
          .setSettings(new JsonObject().put(HazelcastDirectory.MEMBERS, new JsonArray().add("10.0.0.1:5701")));
        String told = assertThrows(ExecutionException.class, () -> open(vertx, options)).getMessage();
        assertTrue(told.contains("settings of a client: members. Remove them"), told);
      }
    } finally {
      await(vertx.close());
    }
  }

  @Test
  @Tag("full")
  void stoppedMemberStaysInViewBeyondItsLease() throws Exception {
    int port = Clusters.freePorts();
    Vertx vertx = clustered(port);
    try (ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port), "child", "2000")) {
      DirectoryBackend directory = open(vertx);
      child.await("published");
      long epoch = await(directory.awaitServices("child", Duration.ofSeconds(30))).getFirst().epoch();
      child.signal("STOP");
      long start = System.nanoTime();
      until("five seconds have passed", () -> {
        assertFalse(directory.services("child").isEmpty(), "it is withdrawn");
        return System.nanoTime() - start > 5_000_000_000L;
      });
      child.signal("CONT");
      assertEquals(epoch, directory.services("child").getFirst().epoch());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  @Tag("full")
  void unreachableMemberDelaysNoClose() throws Exception {
    int port = Clusters.freePorts();
    Vertx first = clustered(impatient(port));
    try (ChildJvm child = ChildJvm.start(Node.class, Integer.toString(port), "child")) {
      Vertx second = clustered(impatient(port));
      try {
        DirectoryBackend a = open(first);
        DirectoryBackend b = open(second);
        child.await("published");
        await(a.awaitServices("child", Duration.ofSeconds(30)));
        await(a.publish(service(a, "a")));
        await(b.publish(service(b, "b")));
        // To the others it is as if the network lost all packets of this member.
        child.signal("STOP");
      } finally {
        long start = System.nanoTime();
        Future<Void> both = Future.join(first.close(), second.close()).mapEmpty();
        // About 10 s, until the cluster gives up a member without heartbeats. By default Hazelcast waits a minute, and as long for each
        // answer.
        both.toCompletionStage().toCompletableFuture().get(100, TimeUnit.SECONDS);
        System.out.printf("closed beside a member that cannot be heard after %d ms%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      }
    } finally {
      await(first.close());
    }
  }

  private static Config impatient(int port) {
    return Clusters.config(port).setProperty("hazelcast.max.no.heartbeat.seconds", "10");
  }

  static final class Node {
    public static void main(String[] args) throws Exception {
      DirectoryOptions options = new DirectoryOptions().setLeaseTime(Duration.ofMillis(args.length > 2 ? Long.parseLong(args[2]) : 30_000));
      DirectoryBackend directory = open(clustered(Integer.parseInt(args[0])), options);
      await(directory.publish(service(directory, args[1])));
      System.out.println("published");
      IO.readln();
      System.exit(0);
    }
  }
}
