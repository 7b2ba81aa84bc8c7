package io.github.vertxrdma.impl.transport;

import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Event bus addresses of cluster members, and whether they use this library. Thread-safe. */
final class ClusterMembers {
  static final String LIBRARY = "vertx-rdma";
  /** Time after which a member without an address is assumed to have no event bus. */
  private static final long WITHOUT_BUS_NANOS = TimeUnit.SECONDS.toNanos(30);
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MAX_MEMBERS = 1024;

  private final ClusterManager manager;
  private final Map<String, Member> members = new ConcurrentHashMap<>();
  private final Map<String, Query> queries = new ConcurrentHashMap<>();
  private volatile Runnable listener = () -> {
  };

  private record Query(long firstNanos, long nanos, AtomicBoolean answered) {
  }

  record Member(String nodeId, String host, int port, boolean hasLibrary) {
    private static Member of(String nodeId, NodeInfo info) {
      JsonObject metadata = info.metadata();
      return new Member(nodeId, info.host(), info.port(), metadata != null && metadata.containsKey(LIBRARY));
    }

    private boolean isAt(String otherHost, InetAddress ip, int otherPort) {
      return port == otherPort && (host.equalsIgnoreCase(otherHost) || ip != null && ip.equals(RouteNames.literal(host)));
    }
  }

  /** @param manager null if the event bus is not clustered or uses TCP */
  ClusterMembers(ClusterManager manager) {
    this.manager = manager;
  }

  void listener(Runnable value) {
    listener = value;
  }

  boolean hasIdsOf(String ownNodeId) {
    return manager != null && ownNodeId.equals(manager.getNodeId());
  }

  boolean has(String nodeId) {
    return present().contains(nodeId);
  }

  private Set<String> present() {
    try {
      return manager == null || !manager.isActive() ? Set.of() : Set.copyOf(manager.getNodes());
    } catch (RuntimeException e) {
      // The cluster manager is closing.
      return Set.of();
    }
  }

  /**
   * Returns the members with an event bus address. Several, while a replaced member has not left.
   *
   * @param ip null if the host is unresolved
   */
  List<Member> at(String host, InetAddress ip, int port) {
    List<Member> found = members.values().stream().filter(member -> member.isAt(host, ip, port)).toList();
    if (found.isEmpty()) {
      return found;
    }
    Set<String> present = present();
    return found.stream().filter(member -> present.contains(member.nodeId())).toList();
  }

  /** Returns whether a former member had the address, or one without a known address may have it. */
  boolean mayHaveBusAt(String host, InetAddress ip, int port) {
    return members.values().stream().anyMatch(member -> member.isAt(host, ip, port))
      || isAwaiting();
  }

  boolean isAwaiting() {
    return manager != null && manager.getNodeInfo() != null && present().stream().anyMatch(this::isAwaited);
  }

  private boolean isAwaited(String id) {
    Query query = queries.get(id);
    return !members.containsKey(id) && !id.equals(manager.getNodeId())
      && (query == null || System.nanoTime() - query.firstNanos <= WITHOUT_BUS_NANOS);
  }

  boolean queryUnknown() {
    Set<String> present = present();
    if (present.isEmpty() || manager.getNodeInfo() == null) {
      return false;
    }
    if (members.size() > MAX_MEMBERS) {
      members.keySet().retainAll(present);
    }
    queries.keySet().retainAll(present);
    return present.stream().filter(id -> !members.containsKey(id) && !id.equals(manager.getNodeId())).filter(this::query).count() > 0;
  }

  private boolean query(String id) {
    long now = System.nanoTime();
    Query before = queries.get(id);
    if (before != null
      && (!before.answered.get() || now - before.nanos < PAUSE_NANOS || now - before.firstNanos > WITHOUT_BUS_NANOS)) {
      return !before.answered.get();
    }
    Query query = new Query(before == null ? now : before.firstNanos, now, new AtomicBoolean());
    queries.put(id, query);
    manager.getNodeInfo(id, (info, cause) -> {
      if (info != null) {
        members.put(id, Member.of(id, info));
      }
      query.answered.set(true);
      listener.run();
    });
    return true;
  }
}
