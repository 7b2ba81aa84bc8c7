package io.github.vertxrdma.provider;

/** Connection request of a peer. Accept or reject it once. Closing the listener rejects it. */
public interface ConnectionRequest {

  byte[] privateData();

  EndpointAddress remoteAddress();

  /** Returns the peer's user or network, as the kernel states it, to limit the requests of one source. */
  default Object source() {
    return remoteAddress().source();
  }

  default byte[] channelBinding() {
    return new byte[0];
  }

  /**
   * Creates the endpoint. Receives may be posted to it before {@link #accept}.
   *
   * @param queue completion queue of the calling thread; must be the listener's with {@link Capabilities#sharedReceiveOnly()}
   * @throws ProviderException {@code LIMIT} if the device has no more queue pairs. Reject the request then
   */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Accepts the request with the created endpoint.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws IllegalStateException if the request was answered, or has no open endpoint. Reject it in the latter case
   */
  void accept(byte[] privateData);

  /**
   * Rejects the request. Some devices only close an existing endpoint, without sending the data.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   */
  void reject(byte[] privateData);
}
