package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;

/** Connects an endpoint's queue pair to its peer. Confined to one thread. */
interface Connection {

  void connect(EndpointAddress remote, byte[] privateData);

  /** Returns the present step for the message of a timeout, such as "resolving the address". */
  String step();

  default void probed(int status, int vendorError) {
  }

  default void pauseOver() {
  }

  void disconnect();

  /** Called for an event that reports the first message, perhaps before the connection manager's own event; rdma_notify(3). */
  default void established() {
  }

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns whether {@link #close} has to wait for the peer, which may take seconds. */
  default boolean isAwaited() {
    return false;
  }

  /** @return a task that frees resources of the connection manager, before the queue pair is destroyed; on any thread */
  Runnable close();
}
