package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;

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

  int postSend(long requestId, long peer, MemoryRegion region, long offset, int length, int flags);

  int postSend(long requestId, long peer, ScatterGather list, int flags);

  int postSendImmediate(long requestId, long peer, MemoryRegion region, long offset, int length, long immediate, int flags);

  int postWrite(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    int flags);

  int postWrite(long requestId, long peer, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags);

  int postWriteImmediate(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags);

  int postRead(long requestId, long peer, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags);

  int postFetchAdd(long requestId, long peer, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add,
    int flags);

  int postCompareSwap(long requestId, long peer, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected,
    long swap, int flags);

  int flush();

  /** Closes it; operations that have not completed are not reported any more. Afterwards none of its operations touches memory. Idempotent. */
  @Override
  void close();
}
