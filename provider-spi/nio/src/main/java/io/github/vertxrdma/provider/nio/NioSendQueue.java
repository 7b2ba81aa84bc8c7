package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.software.PostedOperation;
import io.github.vertxrdma.provider.software.SendQueue;

/**
 * Posted operations of an endpoint. A send ends when the socket has accepted its last byte, a write when the peer has acknowledged it, a
 * read or atomic when its answer has arrived.
 */
final class NioSendQueue extends SendQueue {
  /** Sequence number of the first operation that the socket has not accepted entirely. */
  private long firstUnsent;

  NioSendQueue(NioEndpoint endpoint) {
    super(endpoint);
  }

  /**
   * Called when the last frame of the next operation is in the output stream.
   *
   * @param end position where the frame ends
   */
  void transmitted(long end) {
    PostedOperation operation = get(next());
    boolean read = operation.request().operation().isRead();
    if (!read) {
      operation.progress(end);
    }
    transmitted(read);
  }

  /**
   * Ends all writes up to one that the peer acknowledges. Refuses this if the socket has not accepted the whole write: its memory would be
   * released while the rest is sent.
   *
   * @param end number of bytes of the output that the socket has accepted
   * @return false if refused
   */
  boolean acknowledge(long sequence, long end) {
    PostedOperation write = awaiting(sequence);
    if (write == null || !isWrite(write) || write.progress() > end) {
      return false;
    }
    executed(sequence);
    return true;
  }

  private static boolean isWrite(PostedOperation operation) {
    return operation.request().operation() == Operation.WRITE || operation.request().operation() == Operation.WRITE_IMMEDIATE;
  }

  /** Ends the sends that the socket has accepted entirely. */
  void endSends(long end) {
    for (firstUnsent = Math.max(firstUnsent, head()); firstUnsent < next(); firstUnsent++) {
      PostedOperation operation = get(firstUnsent);
      if (!operation.request().operation().isRead()) {
        if (operation.progress() > end) {
          return;
        }
        if (!isWrite(operation)) {
          operation.end();
        }
      }
    }
  }
}
