package io.github.vertxrdma.provider;

/** Connection request of a peer. It is answered once; an unanswered one is rejected when the listener closes. */
public interface ConnectionRequest {

  byte[] privateData();

  EndpointAddress remoteAddress();

  /** Returns the {@link Endpoint#channelBinding} of the connection that the request is for. */
  default byte[] channelBinding() {
    return new byte[0];
  }

  /**
   * Creates the endpoint, so that receives can be posted before {@link #accept}.
   *
   * @param queue completion queue of the calling thread; with {@link Capabilities#sharedReceiveOnly()} it must be the listener's
   * @throws ProviderException {@code LIMIT} if the device has no more queue pairs; the request still has to be rejected then
   */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Accepts with the endpoint that was created before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws IllegalStateException if there is none, or it was closed: the request still has to be rejected then; also if it was answered
   * before, for instance by its listener's close
   */
  void accept(byte[] privateData);

  /**
   * Rejects the request.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   */
  void reject(byte[] privateData);
}
