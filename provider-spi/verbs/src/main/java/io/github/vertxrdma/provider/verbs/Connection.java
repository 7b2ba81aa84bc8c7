package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;

/**
 * Connects an endpoint's queue pair to its peer: by the connection manager, or by an exchange of addresses in the layers above. Confined to
 * one thread.
 */
interface Connection {

  /**
   * Starts to connect. The endpoint is notified when the connection is established.
   *
   * @throws ProviderException if it fails at once
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /** Returns the present step for the message of a timeout, such as "resolving the address". */
  String step();

  /** Called when a work request that the connection itself posted has completed; only without the connection manager. */
  default void probed(int status, int vendorError) {
  }

  /** Called when the pause before another attempt has passed. */
  default void pauseOver() {
  }

  /** Notifies the peer of the end, if possible. */
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

  /** Closes it. @return a task that frees the resources of the connection manager, before the queue pair is destroyed; on any thread */
  Runnable close();
}
