package io.github.vertxrdma.cluster;

import static io.github.vertxrdma.cluster.Clusters.await;
import static io.github.vertxrdma.cluster.Clusters.region;
import static io.github.vertxrdma.cluster.Clusters.service;
import static io.github.vertxrdma.cluster.Clusters.until;
import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SplitClusterTest extends MembersFixture {
  /** Up to half a minute on busy cores. */
  private static final int HEAL_SECONDS = 90;
  private static final int LEASE_MILLIS = 60_000;

  @Override
  HazelcastInstance member() {
    Config config = Clusters.config(port);
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "2");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "2");
    return member(config);
  }

  private static void lose(HazelcastInstance instance, HazelcastInstance... others) {
    ClusterServiceImpl service = ((HazelcastInstanceProxy) instance).getOriginal().node.getClusterService();
    for (HazelcastInstance other : others) {
      MemberImpl member = service.getMember(other.getCluster().getLocalMember().getUuid());
      if (member != null) {
        service.suspectMember(member, "it is cut off by the test", true);
      }
    }
  }

  /**
   * Cuts the master off from the two others, which stay together and notice it first. If the master noticed it first, there might be three
   * parts, or a wait of two minutes.
   */
  private static void cutOff(HazelcastInstance master, HazelcastInstance next, HazelcastInstance last) {
    until("the two are a cluster", () -> {
      // Repeated, because a heartbeat in flight withdraws a suspicion.
      lose(last, master);
      lose(next, master);
      return next.getCluster().getMembers().size() == 2 && last.getCluster().getMembers().size() == 2;
    });
    lose(master, next, last);
  }

  private static boolean renewed(DirectoryBackend directory, Map<String, Long> before) {
    return directory.epoch() != before.get(directory.nodeId());
  }

  @Test
  @Tag("long")
  void rejoinDoesNotRestoreEntriesOfOldEpochs() throws Exception {
    HazelcastInstance one = member();
    HazelcastInstance two = member();
    HazelcastInstance three = member();
    DirectoryBackend a = directory(one, LEASE_MILLIS);
    DirectoryBackend b = directory(two, LEASE_MILLIS);
    DirectoryBackend c = directory(three, LEASE_MILLIS);
    for (DirectoryBackend directory : List.of(a, b, c)) {
      await(directory.publish(service(directory, "of-" + directory.nodeId())));
      await(directory.publish(region(directory, "table-" + directory.nodeId(), 1)));
    }
    until("all see all", () -> List.of(a, b, c).stream().allMatch(d -> d.nodes().size() == 3 && d.regions().size() == 3));
    Map<String, Long> before = new HashMap<>();
    for (DirectoryBackend directory : List.of(a, b, c)) {
      before.put(directory.nodeId(), directory.epoch());
      directory.watchEpoch(epoch -> directory.publish(region(directory, "table-" + directory.nodeId(), 2)));
    }

    // The nodes that each has seen leave; the halves may find each other before the test has read all of them.
    Map<DirectoryBackend, Set<String>> left = new HashMap<>();
    for (DirectoryBackend directory : List.of(a, b, c)) {
      Set<String> keys = left.computeIfAbsent(directory, d -> ConcurrentHashMap.newKeySet());
      directory.watch(event -> {
        if (event.type() == DirectoryEvent.Type.REMOVED) {
          keys.add(event.entry().key());
        }
      });
    }
    cutOff(one, two, three);
    Set<String> ofA = Set.of("n/" + a.nodeId(), service(a, "of-" + a.nodeId()).key(), "r/table-" + a.nodeId());
    until("the two see the one leave", () -> left.get(b).containsAll(ofA) && left.get(c).containsAll(ofA));
    until("the one sees the two leave", () -> left.get(a).containsAll(Set.of("n/" + b.nodeId(), "n/" + c.nodeId())));

    until("they are one cluster again", () -> one.getCluster().getMembers().size() == 3, HEAL_SECONDS);
    // Hazelcast decides which side gives up; all nodes of that side return as new ones.
    until("one side has new epochs", () -> renewed(a, before) != renewed(b, before) && renewed(b, before) == renewed(c, before));
    until("all see all as they are now",
      () -> List.of(a, b, c).stream()
        .allMatch(d -> List.of(a, b, c).stream()
          .allMatch(other -> d.node(other.nodeId()).filter(node -> node.epoch() == other.epoch()).isPresent()
            && d.services("of-" + other.nodeId()).stream().anyMatch(service -> service.epoch() == other.epoch())
            && d.region("table-" + other.nodeId()).filter(region -> region.epoch() == other.epoch()
              && region.regionId() == (renewed(other, before) ? 2 : 1)).isPresent())));
    await(a.withdraw(service(a, "of-" + a.nodeId())));
    until("it is gone everywhere", () -> List.of(a, b, c).stream().allMatch(d -> d.services().size() == 2));
  }
}
