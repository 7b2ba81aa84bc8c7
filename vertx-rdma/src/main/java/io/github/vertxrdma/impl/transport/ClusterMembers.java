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
 * The members of the cluster and the addresses of their event buses, as the cluster manager has them. So a connection to a member is known
 * as one, also if the member does not use this library. Thread-safe.
 */
final class ClusterMembers {
  /** Key of the metadata of a member's event bus: the version of this library, if the bus uses it. */
  static final String LIBRARY = "vertx-rdma";
  /** Time after which a member that has no event bus is not asked for any more. */
  private static final long WITHOUT_BUS_NANOS = TimeUnit.SECONDS.toNanos(30);
  /** Pause between two questions for the same member. */
  static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  /** Members that are remembered, beyond which those that have left are forgotten. */
  private static final int MOST = 1024;

  private final ClusterManager manager;
  private final Map<String, Member> members = new ConcurrentHashMap<>();
  /** The last question to the cluster manager for each member whose event bus is not known. */
  private final Map<String, Question> questions = new ConcurrentHashMap<>();
  /** Called when the cluster manager has answered. */
  private volatile Runnable listener = () -> {
  };

  /** A question for the event bus of a member. */
  private static final class Question {
    final long firstNanos;
    final long nanos;
    volatile boolean answered;

    /** @param before the last question for the same member, or null */
    Question(Question before, long now) {
      this.firstNanos = before == null ? now : before.firstNanos;
      this.nanos = now;
    }
  }

  /** A member with an event bus. */
  record Member(String nodeId, String host, int port, boolean hasLibrary) {
    private static Member of(String nodeId, NodeInfo info) {
      JsonObject metadata = info.metadata();
      return new Member(nodeId, info.host(), info.port(), metadata != null && metadata.containsKey(LIBRARY));
    }

    private boolean isAt(String otherHost, InetAddress ip, int otherPort) {
      return port == otherPort && (host.equalsIgnoreCase(otherHost) || ip != null && ip.equals(RouteNames.literal(host)));
    }
  }

  /** @param manager null if this Vert.x is not clustered, or its event bus is to use TCP */
  ClusterMembers(ClusterManager manager) {
    this.manager = manager;
  }

  /** Sets what is called when the cluster manager has answered a question, on any thread. */
  void listener(Runnable value) {
    listener = value;
  }

  /** Returns whether a directory has the members under the same ids. */
  boolean hasIdsOf(String ownNodeId) {
    return manager != null && ownNodeId.equals(manager.getNodeId());
  }

  /** Returns whether a node is a member of the cluster. */
  boolean has(String nodeId) {
    return present().contains(nodeId);
  }

  private Set<String> present() {
    try {
      return manager == null || !manager.isActive() ? Set.of() : Set.copyOf(manager.getNodes());
    } catch (RuntimeException e) {
      // The cluster manager is being closed.
      return Set.of();
    }
  }

  /**
   * Returns the members whose event buses have an address. They are several while a member that was replaced by another process at the same
   * address has not left.
   *
   * @param ip null if the host is a name that was not resolved
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
   * Returns whether a connection to an address may be one to the event bus of a member: that of a member which has left or is not seen yet,
   * as while a divided cluster heals, or the unknown one of a member that may still have one.
   *
   * @param ip null if the host is a name that was not resolved
   */
  boolean mayHaveBusAt(String host, InetAddress ip, int port) {
    return members.values().stream().anyMatch(member -> member.isAt(host, ip, port))
      || isAwaiting();
  }

  /** Returns whether there is a member whose event bus is not known and that is still asked for. */
  boolean isAwaiting() {
    return manager != null && manager.getNodeInfo() != null && present().stream().anyMatch(this::isAwaited);
  }

  private boolean isAwaited(String id) {
    Question question = questions.get(id);
    return !members.containsKey(id) && !id.equals(manager.getNodeId())
      && (question == null || System.nanoTime() - question.firstNanos <= WITHOUT_BUS_NANOS);
  }

  /** Asks the cluster manager for the event buses of members that are not known here. Returns whether an answer may follow. */
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

  /** Asks for a member that was not asked for a while ago. Returns whether it was asked now, or the answer has not come. */
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
