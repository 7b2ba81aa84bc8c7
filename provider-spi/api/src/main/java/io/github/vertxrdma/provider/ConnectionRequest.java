package io.github.vertxrdma.provider;

/** A peer that waits for an answer. Answered once; one that is never answered is rejected when the listener closes. */
public interface ConnectionRequest {

  byte[] privateData();

  EndpointAddress remoteAddress();

  /**
   * Makes the endpoint, so that receives can be posted before {@link #accept}.
   *
   * @param queue the completion queue of the calling thread; with {@link Capabilities#sharedReceiveOnly()} it must be the listener's
   * @throws ProviderException {@code LIMIT} if the device has no more queue pairs; the request is then still to be rejected
   */
  Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler);

  /**
   * Accepts with the endpoint made before.
   *
   * @param privateData at most {@link Limits#privateData()} bytes
   * @throws IllegalStateException if there is none, or it was closed: the request is then still to be rejected; and if it was answered
   *   before, also by its listener's close
   */
  void accept(byte[] privateData);

  /** Rejects. @param privateData at most {@link Limits#privateData()} bytes */
  void reject(byte[] privateData);
}
