package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.TcpReason;

/** The answer to the question which way a connection goes. */
sealed interface Route {
  /** Key of the metadata of an entry: the service that its link asks for, if that is not the entry's name. */
  String SERVICE = "service";
  /** Key of the metadata of an entry: true for a server of the network stack that TCP reaches as well. */
  String BY_RULE = "byRule";
  /** Key of the metadata of an entry: true for a server at an {@code rdma://} address, which closes connections that come by TCP. */
  String FABRIC_ONLY = "fabricOnly";
  /** Key of the metadata of an entry: true if the kernel may lead to another server there, so that clients prove the path. */
  String UNPROVEN = "unproven";

  /** A server that a fabric reaches. */
  record Fabric(ServiceEntry entry, NodeEntry peer) implements Route {
    String service() {
      return entry.metadata().getString(SERVICE, entry.name());
    }

    /** Returns whether only clients with the rule of {@link TransportOptions#streams} use a fabric to it. */
    boolean isByRule() {
      return Boolean.TRUE.equals(entry.metadata().getValue(BY_RULE));
    }

    /** Returns whether the server is that of an event bus. */
    boolean isBus() {
      return !isByRule() && !isFabricOnly();
    }

    /** Returns whether a client has to prove that TCP leads to the server. */
    boolean isUnproven() {
      return Boolean.TRUE.equals(entry.metadata().getValue(UNPROVEN));
    }

    /** Returns whether the server is not reached by TCP. */
    boolean isFabricOnly() {
      return Boolean.TRUE.equals(entry.metadata().getValue(FABRIC_ONLY));
    }
  }

  /** A route may become known, by a change of the directory or the cluster, until that time of the clock of {@link FabricRoutes}. */
  record NotYet(long untilNanos) implements Route {
  }

  /**
   * No fabric serves the connection.
   *
   * @param nodeId the peer; empty if no node is meant, or several are
   * @param name its name for people, empty if it is not known
   * @param why the reason in words, with a remedy
   * @param movable whether the connection may move to a fabric later: it is, or may be, one to the event bus of a peer, and the reason may
   *   pass while the connection lives
   * @param untilNanos the time of the clock of {@link FabricRoutes} at which the reason may pass; null if only a change of the directory
   *   brings another answer
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
