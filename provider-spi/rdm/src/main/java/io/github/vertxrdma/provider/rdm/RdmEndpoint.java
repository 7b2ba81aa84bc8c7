package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * Connectionless endpoint (FI_EP_RDM) of a provider. Completions have the request id and a null endpoint. An unsignalled operation
 * completes only if it failed, and a signalled one after the earlier unsignalled ones to the same peer. Receives complete in any order. A
 * completion queue has one such endpoint. Confined to its thread. Posts return a {@link io.github.vertxrdma.provider.Status}.
 */
public interface RdmEndpoint extends AutoCloseable {

  CompletionQueue completionQueue();

  EndpointAddress localAddress();

  AddressVector addressVector();

  int inlineSize();

  /**
   * Returns whether an unsignalled inline send is done when it is posted. It occupies no place of {@link #sendDepth}, and its request id is
   * reported if it fails later.
   */
  default boolean sendsSilently() {
    return false;
  }

  int sendDepth();

  int receiveDepth();

  int postReceive(long requestId, MemoryRegion region, long offset, int length);

  /** Posts an operation to a peer. @param request may be reused when this returns */
  int post(long peer, WorkRequest request);

  int flush();

  /** Closes it. Operations that have not completed are not reported, and access no memory afterwards. Idempotent. */
  @Override
  void close();
}
