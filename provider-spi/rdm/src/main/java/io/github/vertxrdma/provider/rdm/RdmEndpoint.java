package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * Connectionless endpoint (FI_EP_RDM) of a provider, the only one of its completion queue and confined to that queue's thread. Completions
 * have the request id and a null endpoint. An unsignalled operation has a completion only if it failed. A signalled one completes after all
 * earlier unsignalled ones. Receives complete in any order. Posts return a {@link io.github.vertxrdma.provider.Status}.
 */
public interface RdmEndpoint extends AutoCloseable {

  CompletionQueue completionQueue();

  EndpointAddress localAddress();

  AddressVector addressVector();

  int inlineSize();

  /**
   * Returns whether an unsignalled inline send is done when the post returns. Such a send does not count for {@link #sendDepth}. If it
   * fails later, a completion has its request id.
   */
  default boolean sendsSilently() {
    return false;
  }

  int sendDepth();

  int receiveDepth();

  int postReceive(long requestId, MemoryRegion region, long offset, int length);

  /** Posts an operation to a peer. The caller may reuse the request afterwards. */
  int post(long peer, WorkRequest request);

  int flush();

  /** Closes the endpoint. Outstanding operations no longer access memory, and are not reported. Idempotent. */
  @Override
  void close();
}
