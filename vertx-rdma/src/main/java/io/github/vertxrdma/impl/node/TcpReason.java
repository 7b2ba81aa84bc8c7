package io.github.vertxrdma.impl.node;

import java.util.Locale;

/** Reasons why a connection of the network stack uses TCP. */
public enum TcpReason {
  /** The server, such as a database, is not in the directory. Not counted, not logged. */
  OTHER_SERVER,
  /** Only kernel sockets can reach the peer. Not logged as the first line about a server. */
  KERNEL_SOCKETS,
  NO_LIBRARY,
  NOT_IN_DIRECTORY,
  /** The event bus listens at another address than in the cluster manager. */
  OTHER_ADDRESS,
  SEVERAL_NODES,
  /** Another process than the publishing node accepts TCP connections. */
  OTHER_PROCESS,
  /** The peer did not confirm the path: NAT, a proxy, or a busy peer. */
  NOT_PROVEN,
  /** No fabric reaches the peer, or the peer did not answer. */
  NOT_REACHED,
  NOT_STARTED;

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public boolean isFallback() {
    return this != OTHER_SERVER && this != KERNEL_SOCKETS;
  }
}
