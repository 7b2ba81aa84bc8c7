package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;

/** Route of a connection. */
sealed interface Route {
  /** Metadata key: the service to request if it differs from the entry's name. */
  String SERVICE = "service";
  /** Metadata key: true for a network server that TCP reaches as well. */
  String BY_RULE = "byRule";
  /** Metadata key: true for a server at an {@code rdma://} address, which closes TCP connections. */
  String FABRIC_ONLY = "fabricOnly";
  /** Metadata key: true if the kernel may lead elsewhere, so that clients prove the path. */
  String UNPROVEN = "unproven";

  record Fabric(ServiceEntry entry, NodeEntry peer) implements Route {
    String service() {
      return entry.metadata().getString(SERVICE, entry.name());
    }

    /** Returns whether only clients with {@link TransportOptions#streams} use a fabric. */
    boolean isByRule() {
      return Boolean.TRUE.equals(entry.metadata().getValue(BY_RULE));
    }

    boolean isBus() {
      return !isByRule() && !isFabricOnly();
    }

    boolean isUnproven() {
      return Boolean.TRUE.equals(entry.metadata().getValue(UNPROVEN));
    }

    boolean isFabricOnly() {
      return Boolean.TRUE.equals(entry.metadata().getValue(FABRIC_ONLY));
    }
  }

  /** A route may be found until that time of the clock of {@link FabricRoutes}. */
  record NotYet(long untilNanos) implements Route {
  }

  /**
   * TCP serves.
   *
   * @param nodeId peer; empty if there is none or several
   * @param name of the peer; may be empty
   * @param why reason with a remedy
   * @param movable true if the connection may be to an event bus and move to a fabric later
   * @param untilNanos time when the reason may pass; null if only the directory changes it
   */
  record Tcp(TcpReason reason, String nodeId, String name, String why, boolean movable, Long untilNanos) implements Route {
    Tcp(TcpReason reason, NodeEntry peer, String why) {
      this(reason, peer.nodeId(), peer.name(), why);
    }

    Tcp(TcpReason reason, String nodeId, String name, String why) {
      this(reason, nodeId, name, why, false, null);
    }
  }
}
