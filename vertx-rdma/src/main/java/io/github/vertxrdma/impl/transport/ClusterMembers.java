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

/**
 * Cluster members and the addresses of their event buses, from the cluster manager. Detects connections to members that do not use this
 * library. Thread-safe.
 */
final class ClusterMembers {
  /** Metadata key of a member's event bus: version of this library. */
  static final String LIBRARY = "vertx-rdma";
  /** Time after which a member without event bus is not queried again. */
  private static final long WITHOUT_BUS_NANOS = TimeUnit.SECONDS.toNanos(30);
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  /** Number of known members above which those that have left are removed. */
  private static final int MOST = 1024;

  private final ClusterManager manager;
  private final Map<String, Member> members = new ConcurrentHashMap<>();
  /** Last query for each member whose event bus is unknown. */
  private final Map<String, Question> questions = new ConcurrentHashMap<>();
  private volatile Runnable listener = () -> {
  };

  private static final class Question {
    final long firstNanos;
    final long nanos;
    volatile boolean answered;

    Question(Question before, long now) {
      this.firstNanos = before == null ? now : before.firstNanos;
      this.nanos = now;
    }
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
   * Returns members whose event buses have the address: several while a replaced member has not left.
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

  /**
   * Returns whether the address may be an event bus: of a former or future member, as while a divided cluster heals, or of one that is
   * still queried.
   *
   * @param ip null if the host is unresolved
   */
  boolean mayHaveBusAt(String host, InetAddress ip, int port) {
    return members.values().stream().anyMatch(member -> member.isAt(host, ip, port))
      || isAwaiting();
  }

  boolean isAwaiting() {
    return manager != null && manager.getNodeInfo() != null && present().stream().anyMatch(this::isAwaited);
  }

  private boolean isAwaited(String id) {
    Question question = questions.get(id);
    return !members.containsKey(id) && !id.equals(manager.getNodeId())
      && (question == null || System.nanoTime() - question.firstNanos <= WITHOUT_BUS_NANOS);
  }

  /** Queries unknown event buses. @return true if an answer may follow */
  boolean isLearning() {
    Set<String> present = present();
    if (present.isEmpty() || manager.getNodeInfo() == null) {
      return false;
    }
    if (members.size() > MOST) {
      members.keySet().retainAll(present);
    }
    questions.keySet().retainAll(present);
    return present.stream().filter(id -> !members.containsKey(id) && !id.equals(manager.getNodeId())).filter(this::isAsked).count() > 0;
  }

  private boolean isAsked(String id) {
    long now = System.nanoTime();
    Question before = questions.get(id);
    if (before != null && (!before.answered || now - before.nanos < PAUSE_NANOS || now - before.firstNanos > WITHOUT_BUS_NANOS)) {
      return !before.answered;
    }
    Question question = new Question(before, now);
    questions.put(id, question);
    manager.getNodeInfo(id, (info, cause) -> {
      if (info != null) {
        members.put(id, Member.of(id, info));
      }
      question.answered = true;
      listener.run();
    });
    return true;
  }
}
