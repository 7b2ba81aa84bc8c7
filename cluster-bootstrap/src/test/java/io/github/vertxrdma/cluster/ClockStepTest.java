package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.service;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.cluster.impl.ClusterHeartbeatManager;
import com.hazelcast.internal.util.Clock;
import com.hazelcast.map.IMap;
import com.hazelcast.partition.PartitionService;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No wall clock decides which node lives. */
@Timeout(300)
class ClockStepTest {
  private static final long HOUR = 3_600_000;

  @Test
  @Tag("full")
  void clockStepsRemoveNoNode() throws Exception {
    int port = Clusters.freePorts();
    Vertx vertx = Vertx.vertx();
    HazelcastInstance member = Hazelcast.newHazelcastInstance(Clusters.config(port));
    try (ChildJvm child = ChildJvm.start(Keeper.class, Integer.toString(port))) {
      child.await("published");
      DirectoryBackend directory = await(HazelcastDirectory.open(vertx, member, new DirectoryOptions().setNodeId(keptByTheOther(member))));
      await(directory.publish(directory.self()));
      await(directory.awaitServices("of the keeper", Duration.ofSeconds(20)));
      // Until its second heartbeat a member mistakes a step of its clock for silence of the others.
      awaitHeartbeats(member, 3);
      List<DirectoryEvent> gone = new CopyOnWriteArrayList<>();
      directory.watch(event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED) {
          gone.add(event);
        }
      });
      IMap<String, byte[]> map = member.getMap("vertx-rdma.directory.default");
      int steps = 0;
      for (long step : new long[] {HOUR, -2 * HOUR, HOUR}) {
        child.tell("step " + step);
        child.await("stepped " + step);
        assertTrue(map.containsKey(directory.self().key()), "after a step of " + step + " ms this node is there");
        assertEquals(2, map.keySet().stream().filter(key -> key.startsWith("n/")).count());
        // Events of a partition keep their order: earlier ones are delivered before.
        String name = "after step " + ++steps;
        await(directory.publish(service(directory, name)));
        child.tell("look up " + name);
        child.await(name + " is there");
      }
      assertEquals(List.of(), gone);
      child.tell("what is gone");
      child.await("gone: []");
      child.kill();
      until("the killed one is gone", () -> directory.services("of the keeper").isEmpty() && directory.nodes().size() == 1);
      until("its entries are gone", () -> map.keySet().stream().allMatch(key -> key.contains(directory.nodeId())));
    } finally {
      await(vertx.close());
      member.getLifecycleService().terminate();
    }
  }

  private static String keptByTheOther(HazelcastInstance member) {
    PartitionService partitions = member.getPartitionService();
    until("the partitions are spread", () -> partitions.isClusterSafe() && partitions.getPartitions().stream()
      .anyMatch(partition -> partition.getOwner() != null && !partition.getOwner().localMember()));
    return IntStream.range(0, 10_000).mapToObj(i -> "node-" + i)
      .filter(id -> !partitions.getPartition("n/" + id).getOwner().localMember()).findFirst().orElseThrow();
  }

  private static void awaitHeartbeats(HazelcastInstance member, int count) {
    ClusterHeartbeatManager heartbeats = ((HazelcastInstanceProxy) member).getOriginal().node.getClusterService()
      .getClusterHeartbeatManager();
    Member other = member.getCluster().getMembers().stream().filter(each -> !each.localMember()).findFirst().orElseThrow();
    for (int i = 0; i < count; i++) {
      long before = heartbeats.getLastHeartbeatTime(other);
      until("a heartbeat came", () -> heartbeats.getLastHeartbeatTime(other) != before);
    }
  }

  public static final class SteppedClock extends Clock.ClockImpl {
    private static volatile long offset;

    @Override
    protected long currentTimeMillis() {
      return System.currentTimeMillis() + offset;
    }
  }

  static final class Keeper {
    public static void main(String[] args) throws Exception {
      System.setProperty("com.hazelcast.clock.impl", SteppedClock.class.getName());
      HazelcastInstance member = Hazelcast.newHazelcastInstance(Clusters.config(Integer.parseInt(args[0])));
      DirectoryBackend directory = await(HazelcastDirectory.open(Vertx.vertx(), member, new DirectoryOptions().setNodeId("keeper")));
      await(directory.publish(directory.self()));
      await(directory.publish(service(directory, "of the keeper")));
      List<String> gone = new CopyOnWriteArrayList<>();
      directory.watch(event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED) {
          gone.add(event.entry().key());
        }
      });
      System.out.println("published");
      for (String line = IO.readln(); line != null; line = IO.readln()) {
        if (line.startsWith("step ")) {
          SteppedClock.offset += Long.parseLong(line.substring("step ".length()));
          // Between these heartbeats of the other member comes one of this member, which notices the step. It would notice only the sum of
          // several steps.
          awaitHeartbeats(member, 2);
          System.out.println("stepped " + line.substring("step ".length()));
        } else if (line.startsWith("look up ")) {
          await(directory.awaitServices(line.substring("look up ".length()), Duration.ofSeconds(20)));
          System.out.println(line.substring("look up ".length()) + " is there");
        } else {
          System.out.println("gone: " + gone);
        }
      }
      System.exit(0);
    }
  }
}
