package io.github.vertxrdma.provider;

/**
 * Hears what becomes of an endpoint, on the polling thread, from within {@link CompletionQueue#poll} or the call that caused it; nothing of
 * one that was {@linkplain Endpoint#close closed}, whatever happened to it before.
 */
public interface EndpointHandler {

  /** Connected. @param privateData what the acceptor sent, on the connecting side; empty on the accepting side */
  void connected(Endpoint endpoint, byte[] privateData);

  /**
   * It will not connect ({@code REJECTED}, {@code REFUSED}, {@code TIMEOUT}, …), or the connection is over: {@code DISCONNECTED} after the
   * peer's or one's own disconnect, others when it broke. Said once. The endpoint still has to be closed.
   */
  void disconnected(Endpoint endpoint, ProviderException cause);
}
