package io.github.vertxrdma.provider;

/**
 * Handler of an endpoint's events, called on the polling thread, during {@link CompletionQueue#poll} or the call that caused the event.
 * Never called after {@link Endpoint#close}.
 */
public interface EndpointHandler {

  /** @param privateData the acceptor's, on the connecting side; otherwise empty */
  void connected(Endpoint endpoint, byte[] privateData);

  /**
   * Called once when the connect failed or the connection ended: {@code DISCONNECTED} after a disconnect of either side. The endpoint still
   * has to be closed.
   */
  void disconnected(Endpoint endpoint, ProviderException cause);
}
