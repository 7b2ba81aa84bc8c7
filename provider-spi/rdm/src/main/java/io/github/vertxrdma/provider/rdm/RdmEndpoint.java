package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * A connectionless endpoint (FI_EP_RDM) as a provider gives it to {@link RdmLayer}: every post names a peer of the address vector.
 * Request ids come back in the completions of its queue, with a null endpoint; an unsignalled operation completes only when it failed,
 * and a signalled one after the earlier unsignalled ones to the same peer. Receives may complete in another order than they were posted.
 * One endpoint has a completion queue for itself. Confined to the queue's thread. Posts return a
 * {@link io.github.vertxrdma.provider.Status}.
 */
public interface RdmEndpoint extends AutoCloseable {

  CompletionQueue completionQueue();

  EndpointAddress localAddress();

  AddressVector addressVector();

  int inlineSize();

  /**
   * Whether an inline send that is not signalled is done when its post returns OK: it takes no place of {@link #sendDepth}, and if it
   * fails later its request id comes back.
   */
  default boolean sendsSilently() {
    return false;
  }

  int sendDepth();

  int receiveDepth();

  int postReceive(long requestId, MemoryRegion region, long offset, int length);

  /**
   * Posts an operation to a peer.
   *
   * @param request the caller's again when this returns
   */
  int post(long peer, WorkRequest request);

  int flush();

  /**
   * Closes it; operations that have not completed are not reported any more. Afterwards none of its operations touches memory. Idempotent.
   */
  @Override
  void close();
}
