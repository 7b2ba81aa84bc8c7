package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;

/** Connects an endpoint's queue pair to its peer. Confined to one thread. */
interface Connection {

  void connect(EndpointAddress remote, byte[] privateData);

  /** Returns the current step, for the message of a timeout: "resolving the address". */
  String step();

  default void probed(int status, int vendorError) {
  }

  default void pauseOver() {
  }

  void disconnect();

  /** Called when the device reports the peer's first message, which may precede the connection manager's event; rdma_notify(3). */
  default void established() {
  }

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns whether {@link #close} has to wait for the peer, which may take seconds. */
  default boolean isAwaited() {
    return false;
  }

  /** @return a task that frees the connection manager's resources, on any thread, before the queue pair is destroyed */
  Runnable close();
}
