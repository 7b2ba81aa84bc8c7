package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;

/** Way of an endpoint's queue pair to its peer: by the connection manager or by an exchange of the layers above. Confined to one thread. */
interface Connection {

  /**
   * Starts to connect. The endpoint is notified when the connection is established.
   *
   * @throws ProviderException if it fails at once
   */
  void connect(EndpointAddress remote, byte[] privateData);

  /** Its present step, for the message of a timeout: "resolving the address". */
  String step();

  /** A work request of the connection's own completed; only without the connection manager. */
  default void probed(int status, int vendorError) {
  }

  /** The pause before a further such request is over. */
  default void pauseOver() {
  }

  /** Tells the peer that it is over, as far as it can. */
  void disconnect();

  /** An event that says the first message came, maybe before the connection manager's own; rdma_notify(3). */
  default void established() {
  }

  EndpointAddress localAddress();

  EndpointAddress remoteAddress();

  /**
   * Frees what the connection manager holds, before the queue pair is destroyed.
   *
   * @return null if that is done; else what to run to do it, which may take seconds, since the peer has not answered yet
   */
  Runnable close();
}
