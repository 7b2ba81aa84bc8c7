package io.github.vertxrdma.impl.node;

import java.util.Locale;

/** Reasons why a Vert.x network connection uses TCP instead of a fabric. */
public enum TcpReason {
  /** The server is not a node, such as a database. Neither counted nor logged. */
  OTHER_SERVER,
  /** Only kernel sockets reach the peer. Logged only after another state was logged for the server. */
  KERNEL_SOCKETS,
  NO_LIBRARY,
  NOT_IN_DIRECTORY,
  /** The event bus listens at a different address than the cluster manager publishes. */
  OTHER_ADDRESS,
  SEVERAL_NODES,
  /** The peer did not confirm that it has the TCP connection, because of NAT, a proxy or load. */
  NOT_PROVEN,
  /** No fabric reaches the peer, or the peer did not answer. */
  NOT_REACHED,
  NOT_STARTED,
  /** The peer's version of this library cannot move connections. */
  OTHER_VERSION;

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public boolean isFallback() {
    return this != OTHER_SERVER && this != KERNEL_SOCKETS;
  }
}
