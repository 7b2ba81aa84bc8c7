package io.github.vertxrdma.provider;

/** Connection request of a peer. It is answered once; closing the listener rejects it. */
public interface ConnectionRequest {

  byte[] privateData();

  EndpointAddress remoteAddress();

  default byte[] channelBinding() {
    return new byte[0];
  }

  /**
   * Creates the endpoint, to which receives can be posted before {@link #accept}.
   *
   * @param queue completion queue of the calling thread; with {@link Capabilities#sharedReceiveOnly()} the listener's
   * @throws ProviderException {@code LIMIT} if the device has no more queue pairs; the request has to be rejected then
   */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Accepts with the created endpoint.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws IllegalStateException if there is no open endpoint, in which case the request has to be rejected, or it was answered before
   */
  void accept(byte[] privateData);

  void reject(byte[] privateData);
}
