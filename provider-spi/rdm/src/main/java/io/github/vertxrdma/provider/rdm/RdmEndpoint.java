package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * Connectionless endpoint (FI_EP_RDM) of a provider for {@link RdmLayer}. Every post names a peer of the address vector. Completions of its
 * queue have the request id and a null endpoint. An unsignalled operation completes only if it failed, and a signalled one after the
 * earlier unsignalled ones to the same peer. Receives may complete in another order than they were posted. A completion queue has only one
 * such endpoint. Confined to the queue's thread. Posts return a {@link io.github.vertxrdma.provider.Status}.
 */
public interface RdmEndpoint extends AutoCloseable {

  CompletionQueue completionQueue();

  EndpointAddress localAddress();

  AddressVector addressVector();

  int inlineSize();

  /**
   * Returns whether an unsignalled inline send is done when its post returns OK: it occupies no place of {@link #sendDepth}, and if it
   * fails later its request id is reported.
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

  /**
   * Closes it. Operations that have not completed are not reported any more, and none of its operations accesses memory afterwards.
   * Idempotent.
   */
  @Override
  void close();
}
