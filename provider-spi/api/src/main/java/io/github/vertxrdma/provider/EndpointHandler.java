package io.github.vertxrdma.provider;

/**
 * Handler of an endpoint's events. Called on the polling thread, in {@link CompletionQueue#poll} or in the call that caused the event, and
 * never after {@link Endpoint#close}.
 */
public interface EndpointHandler {

  /** @param privateData data of the accepting side; empty on that side */
  void connected(Endpoint endpoint, byte[] privateData);

  /**
   * Called once when the connect failed or the connection ended. Close the endpoint then.
   *
   * @param cause {@code DISCONNECTED} after a disconnect of either side
   */
  void disconnected(Endpoint endpoint, ProviderException cause);
}
