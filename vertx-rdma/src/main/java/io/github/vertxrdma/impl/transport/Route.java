package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;

sealed interface Route {
  /** Metadata key: true for a server, other than the event bus, that TCP reaches too. */
  String BY_RULE = "byRule";
  /** Metadata key: true for a server that closes TCP connections unless they move to a fabric before their first byte. */
  String FABRIC_ONLY = "fabricOnly";
  /** Metadata key: true for a server whose TCP connections can move to a fabric and back. */
  String MOVES = "movesBack";
  /** Metadata key: true for a server whose TCP connections can move to a fabric before their first byte. */
  String OPENS = "movesFirst";

  record Fabric(ServiceEntry entry, NodeEntry peer) implements Route {
    boolean isByRule() {
      return Boolean.TRUE.equals(entry.metadata().getValue(BY_RULE));
    }

    boolean isBus() {
      return !isByRule() && !isFabricOnly();
    }

    boolean moves() {
      return Boolean.TRUE.equals(entry.metadata().getValue(MOVES));
    }

    boolean opens() {
      return Boolean.TRUE.equals(entry.metadata().getValue(OPENS));
    }

    Tcp otherVersion() {
      return new Tcp(TcpReason.OTHER_VERSION, peer, "the peer's version of vertx-rdma is older, and cannot move connections to a fabric"
        + ". Update it");
    }

    boolean isFabricOnly() {
      return Boolean.TRUE.equals(entry.metadata().getValue(FABRIC_ONLY));
    }
  }

  /** No route is known yet, but one may appear until this time of the clock of {@link FabricRoutes}. */
  record NotYet(long untilNanos) implements Route {
  }

  /**
   * @param movable true if a fabric may reach the server later
   * @param untilNanos time to ask again; null if only a change of the directory matters
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
