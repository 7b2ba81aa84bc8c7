package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.EntryRing;
import io.github.vertxrdma.provider.software.PostedOperation;

/**
 * Posted operations of an endpoint by sequence number. They complete in order: a send when its last byte is in the socket, a write when the
 * peer acknowledged it, a read or atomic when the peer answered it.
 */
final class NioSendQueue {
  private final NioEndpoint endpoint;
  private final NioCompletionQueue queue;
  private final EntryRing<PostedOperation> posted;
  private long next;
  private long acknowledged = -1;
  private int readsOutstanding;
  private long refusedSequence = -1;
  private int refusedStatus;

  NioSendQueue(NioEndpoint endpoint, NioCompletionQueue queue) {
    this.endpoint = endpoint;
    this.queue = queue;
    posted = new EntryRing<>(queue.operations);
  }

  int size() {
    return posted.size();
  }

  void add(WorkRequest request, int flags, int inlineSize) {
    posted.next().set(request, flags, inlineSize);
    posted.add();
  }

  boolean hasNext() {
    return next < posted.tail();
  }

  long next() {
    return next;
  }

  PostedOperation get(long sequence) {
    return posted.get(sequence);
  }

  int readsOutstanding() {
    return readsOutstanding;
  }

  /**
   * Called when the last frame of the next operation is in the output.
   *
   * @param end position in the output stream where that frame ends
   */
  void transmitted(long end) {
    PostedOperation operation = posted.get(next++);
    if (operation.request().operation().isRead()) {
      operation.progress(operation.request().length());
      readsOutstanding++;
    } else {
      operation.progress(end);
    }
  }

  /** Returns whether the peer's answer fits an operation that waits for one. */
  boolean awaits(long sequence, boolean read, long offset, long bytes) {
    if (sequence < posted.head() || sequence >= next) {
      return false;
    }
    WorkRequest request = posted.get(sequence).request();
    long missing = posted.get(sequence).progress();
    return read ? request.operation() == Operation.READ && bytes <= missing && offset == request.length() - missing
      : request.operation().isAtomic() && missing == bytes;
  }

  /** Called when bytes of an answer are in the region. */
  void arrived(long sequence, long bytes) {
    PostedOperation operation = posted.get(sequence);
    long missing = operation.progress() - bytes;
    if (missing == 0) {
      readsOutstanding--;
    }
    operation.progress(missing == 0 ? -1 : missing);
  }

  /**
   * Called when the peer acknowledges all writes up to a sequence. Refuses this for a write that is not entirely in the socket: its memory
   * would be released while the rest is sent.
   *
   * @param written bytes of the output stream that the socket has accepted
   * @return false if the write cannot have arrived
   */
  boolean acknowledge(long sequence, long written) {
    if (sequence < posted.head() || sequence >= next) {
      return false;
    }
    Operation operation = posted.get(sequence).request().operation();
    if (operation != Operation.WRITE && operation != Operation.WRITE_IMMEDIATE || posted.get(sequence).progress() > written) {
      return false;
    }
    acknowledged = sequence;
    return true;
  }

  private boolean firstHasEnded(long written) {
    if (posted.head() >= next) {
      return false;
    }
    PostedOperation first = posted.first();
    return switch (first.request().operation()) {
      case SEND, SEND_IMMEDIATE -> first.progress() <= written;
      case WRITE, WRITE_IMMEDIATE -> posted.head() <= acknowledged;
      default -> first.progress() < 0;
    };
  }

  /**
   * Completes operations that have ended, in order.
   *
   * @param written bytes of the output stream in the socket
   */
  void complete(long written) {
    while (firstHasEnded(written)) {
      succeed(posted.first());
    }
  }

  private void succeed(PostedOperation first) {
    WorkRequest request = first.request();
    endpoint.succeeded(request.id(), request.operation(), first.isSignaled(), request.length());
    remove(first);
  }

  /** Records which operation the peer refused, for its status in {@link #flush}. */
  void refused(long sequence, int status) {
    refusedSequence = sequence;
    refusedStatus = status;
  }

  void flush(long written, String reason) {
    while (!posted.isEmpty()) {
      PostedOperation first = posted.first();
      boolean refused = posted.head() == refusedSequence;
      if (!refused && firstHasEnded(written)) {
        succeed(first);
        continue;
      }
      endpoint.failed(first.request().id(), first.request().operation(), refused ? refusedStatus : Status.FLUSHED, reason);
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
