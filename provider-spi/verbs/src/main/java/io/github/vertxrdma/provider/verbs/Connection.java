package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;

/** Connects an endpoint's queue pair to its peer. */
interface Connection {

  void connect(EndpointAddress remote, byte[] privateData);

  /** Returns the current step for the message of a timeout, such as "resolving the address". */
  String step();

  default void probed(int status, int vendorError) {
  }

  default void pauseOver() {
  }

  void disconnect();

  /** Called when the device reports the peer's first message, possibly before the connection manager's event; rdma_notify(3). */
  default void established() {
  }

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /** Returns whether the task of {@link #close} blocks until the peer answers, which may take seconds. */
  default boolean isAwaited() {
    return false;
  }

  /** Ends the connection. Returns a task that destroys the connection manager's id on any thread, before the queue pair is destroyed. */
  Runnable close();
}
