package io.github.vertxrdma.provider;

/**
 * Handler of an endpoint's events, called on the polling thread, during {@link CompletionQueue#poll} or the call that caused the event;
 * never called after the endpoint was {@linkplain Endpoint#close closed}, whatever happened before.
 */
public interface EndpointHandler {

  /**
   * Called when the endpoint is connected.
   *
   * @param privateData of the acceptor, on the connecting side; empty on the accepting side
   */
  void connected(Endpoint endpoint, byte[] privateData);

  /**
   * Called once when the connect failed ({@code REJECTED}, {@code REFUSED}, {@code TIMEOUT}, …), or the connection ended: {@code
   * DISCONNECTED} after a disconnect of either side, other reasons after a failure. The endpoint still has to be closed.
   */
  void disconnected(Endpoint endpoint, ProviderException cause);
}
