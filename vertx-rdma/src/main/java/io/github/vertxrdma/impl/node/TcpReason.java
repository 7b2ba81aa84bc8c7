package io.github.vertxrdma.impl.node;

import java.util.Locale;

/** Reasons why a connection of the event bus or of a stream uses TCP. */
public enum TcpReason {
  /** The address belongs to no node that is known here, as that of a database. It is not counted, and TCP serves it without a line. */
  OTHER_SERVER,
  /** Fabrics that are more than a socket of the kernel cannot reach the peer by their kind. No line. */
  KERNEL_SOCKETS,
  /** The peer is a member of the cluster, and its event bus does not use this library. */
  NO_LIBRARY,
  /** The directory has no entry of the peer's event bus. */
  NOT_IN_DIRECTORY,
  /** The peer's event bus listens at another address than the cluster manager names. */
  OTHER_ADDRESS,
  /** Several nodes have published the address. */
  SEVERAL_NODES,
  /** Another process than the node that has published the address accepts TCP connections to it. */
  OTHER_PROCESS,
  /** The peer has not confirmed that TCP leads to it: NAT, a proxy, or a peer that is busy. */
  NOT_PROVEN,
  /** No fabric reaches the peer, or it did not answer over one. */
  NOT_REACHED,
  /** The node of this Vert.x did not start. */
  NOT_STARTED;

  /** Returns the name for statistics and metrics: {@code no-library}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether a peer is meant and a fabric could have served it. */
  public boolean isFallback() {
    return this != OTHER_SERVER && this != KERNEL_SOCKETS;
  }
}
