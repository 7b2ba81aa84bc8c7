package io.github.vertxrdma.impl.transport;

import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The members of the cluster and the addresses of their event buses, as the cluster manager has them. So a connection to a member is known
 * as one, also if the member does not use this library. Thread-safe.
 */
final class ClusterMembers {
  /** Key of the metadata of a member's event bus: the version of this library, if the bus uses it. */
  static final String LIBRARY = "vertx-rdma";
  /** Time after which a member that has no event bus is not asked for any more. */
  private static final long WITHOUT_BUS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final ClusterManager manager;
  private final Map<String, Member> members = new ConcurrentHashMap<>();
  private final Map<String, Long> seen = new ConcurrentHashMap<>();
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  /** A member with an event bus. */
  record Member(String nodeId, String host, int port, boolean hasLibrary) {
    private static Member of(String nodeId, NodeInfo info) {
      JsonObject metadata = info.metadata();
      return new Member(nodeId, info.host(), info.port(), metadata != null && metadata.containsKey(LIBRARY));
    }

    private boolean isAt(String otherHost, InetAddress ip, int otherPort) {
      return port == otherPort && (host.equalsIgnoreCase(otherHost) || ip != null && ip.equals(RouteNames.literal(host)));
    }

    String address() {
      return host + ':' + port;
    }
  }

  /** @param manager null if this Vert.x is not clustered, or its event bus is to use TCP */
  ClusterMembers(ClusterManager manager) {
    this.manager = manager;
  }

  /** Returns whether a directory has the members under the same ids. */
  boolean hasIdsOf(String ownNodeId) {
    return manager != null && ownNodeId.equals(manager.getNodeId());
  }

  /** Returns whether a node is a member of the cluster. */
  boolean has(String nodeId) {
    return isActive() && manager.getNodes().contains(nodeId);
  }

  private boolean isActive() {
    return manager != null && manager.isActive();
  }

  /** Returns the member whose event bus has an address, or null. @param ip null if the host is a name that was not resolved */
  Member at(String host, InetAddress ip, int port) {
    return members.values().stream().filter(member -> member.isAt(host, ip, port)).findFirst().orElse(null);
  }

  /** Asks the cluster manager for the event buses of members that are not known here. Returns whether there are such members. */
  boolean isLearning() {
    if (!isActive() || manager.getNodeInfo() == null) {
      return false;
    }
    Set<String> ids = Set.copyOf(manager.getNodes());
    members.keySet().retainAll(ids);
    seen.keySet().retainAll(ids);
    boolean learning = false;
    long now = System.nanoTime();
    for (String id : ids) {
      if (!members.containsKey(id) && !id.equals(manager.getNodeId())
        && now - seen.computeIfAbsent(id, first -> now) < WITHOUT_BUS_NANOS) {
        learning = true;
        ask(id);
      }
    }
    return learning;
  }

  private void ask(String id) {
    if (asked.add(id)) {
      manager.getNodeInfo(id, (info, cause) -> {
        if (info != null) {
          members.put(id, Member.of(id, info));
        }
        asked.remove(id);
      });
    }
  }
}
