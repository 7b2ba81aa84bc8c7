package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.EntryRing;

/**
 * The posted operations of an endpoint by sequence number: from the oldest whose end is unknown over {@link #next}, the first not yet on
 * the wire, to the newest. They end in order: sends when their last byte is in the socket, writes when acknowledged, reads and atomics when
 * answered.
 */
final class SendQueue {
  private final NioEndpoint endpoint;
  private final NioCompletionQueue queue;
  private final EntryRing<PostedOperation> posted;
  private long next;
  private long acknowledged = -1;
  private int readsOutstanding;
  private long refusedSequence = -1;
  private int refusedStatus;

  SendQueue(NioEndpoint endpoint, NioCompletionQueue queue) {
    this.endpoint = endpoint;
    this.queue = queue;
    posted = new EntryRing<>(queue.operations());
  }

  // Posting.

  /** Returns the number of posted operations that have not ended. */
  int size() {
    return posted.size();
  }

  void add(WorkRequest request, int flags) {
    posted.next().set(request, flags);
    posted.add();
  }

  // Transmission.

  boolean hasNext() {
    return next < posted.tail();
  }

  /** The sequence of the first that is not yet on the wire. */
  long next() {
    return next;
  }

  PostedOperation get(long sequence) {
    return posted.get(sequence);
  }

  /** Whether the operation must wait for earlier reads and atomics, or for its turn among them. */
  boolean mustWait(PostedOperation operation, int readsInFlight) {
    return operation.operation.isRead() && readsOutstanding >= readsInFlight || operation.isFenced() && readsOutstanding > 0;
  }

  /** The last frame of the next one is in the output; @param end where in the output stream that frame ends */
  void transmitted(long end) {
    PostedOperation operation = posted.get(next++);
    if (operation.operation.isRead()) {
      operation.progress = operation.total;
      readsOutstanding++;
    } else {
      operation.progress = end;
    }
  }

  // Ends.

  /** Whether the peer's answer is to an operation that waits for one of that kind. */
  boolean awaits(long sequence, boolean read, long offset, long bytes) {
    if (sequence < posted.head() || sequence >= next) {
      return false;
    }
    PostedOperation operation = posted.get(sequence);
    if (read) {
      return operation.operation == Operation.READ && bytes <= operation.progress && offset == operation.total - operation.progress;
    }
    return operation.operation.isAtomic() && operation.progress == bytes;
  }

  /** Bytes of an answer are in place. */
  void arrived(long sequence, long bytes) {
    PostedOperation operation = posted.get(sequence);
    operation.progress -= bytes;
    if (operation.progress == 0) {
      readsOutstanding--;
      operation.progress = -1;
    }
  }

  /**
   * Every write up to this one is in the peer's memory. One whose bytes are not all in the socket cannot be: its memory would be let go of
   * while more of it goes to the peer, whatever is in it by then.
   *
   * @param written bytes of the output stream in the socket
   * @return false if that cannot be
   */
  boolean acknowledge(long sequence, long written) {
    if (sequence < posted.head() || sequence >= next) {
      return false;
    }
    PostedOperation write = posted.get(sequence);
    if (write.operation != Operation.WRITE && write.operation != Operation.WRITE_IMMEDIATE || write.progress > written) {
      return false;
    }
    acknowledged = sequence;
    return true;
  }

  /** Whether there is a first one, which is on the wire and over. */
  private boolean firstHasEnded(long written) {
    if (posted.head() >= next) {
      return false;
    }
    PostedOperation first = posted.first();
    return switch (first.operation) {
      case SEND, SEND_IMMEDIATE -> first.progress <= written;
      case WRITE, WRITE_IMMEDIATE -> posted.head() <= acknowledged;
      default -> first.progress < 0;
    };
  }

  /** Ends what can end, in order. @param written bytes of the output stream in the socket */
  void complete(long written) {
    while (firstHasEnded(written)) {
      succeed(posted.first());
    }
  }

  private void succeed(PostedOperation first) {
    endpoint.succeeded(first.requestId, first.operation, first.isSignaled(), first.total);
    remove(first);
  }

  /** Notes which operation the peer refused, for the flush that follows. */
  void refused(long sequence, int status) {
    refusedSequence = sequence;
    refusedStatus = status;
  }

  /** Ends all operations that are left. @param written bytes of the output stream in the socket */
  void flush(long written, String reason) {
    while (!posted.isEmpty()) {
      PostedOperation first = posted.first();
      boolean refused = posted.head() == refusedSequence;
      if (!refused && firstHasEnded(written)) {
        succeed(first);
        continue;
      }
      endpoint.failed(first.requestId, first.operation, refused ? refusedStatus : Status.FLUSHED, reason);
      remove(first);
    }
    next = posted.tail();
    readsOutstanding = 0;
  }

  private void remove(PostedOperation first) {
    first.clear();
    queue.giveBack(posted.take());
  }
}
