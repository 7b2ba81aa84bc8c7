package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayDeque;

/** Posted operations of an endpoint by sequence number, which complete in order. */
public class SendQueue {
  private final SoftwareEndpoint endpoint;
  private final ArrayDeque<PostedOperation> unused;
  private final EntryRing<PostedOperation> posted = new EntryRing<>(this::operation);
  private long next;
  private int readsOutstanding;
  private long executed = -1;
  private long refusedSequence = -1;
  private int refusedStatus;

  public SendQueue(SoftwareEndpoint endpoint) {
    this.endpoint = endpoint;
    unused = endpoint.unusedOperations();
  }

  private PostedOperation operation() {
    PostedOperation operation = unused.poll();
    return operation == null ? new PostedOperation() : operation;
  }

  public final int size() {
    return posted.size();
  }

  public final boolean isEmpty() {
    return posted.isEmpty();
  }

  public final long add(WorkRequest request, int flags, int inlineSize) {
    posted.next().set(request, flags, inlineSize);
    posted.add();
    return posted.tail() - 1;
  }

  public final long head() {
    return posted.head();
  }

  public final boolean hasNext() {
    return next < posted.tail();
  }

  public final long next() {
    return next;
  }

  public final boolean nextMustWait() {
    return get(next).mustWait(readsOutstanding, endpoint.readsInFlight());
  }

  public final PostedOperation get(long sequence) {
    return posted.get(sequence);
  }

  public final void transmitted(boolean asks) {
    next++;
    readsOutstanding += asks ? 1 : 0;
  }

  /** Returns a transmitted operation that has not ended; otherwise null. */
  public final PostedOperation awaiting(long sequence) {
    PostedOperation operation = sequence < posted.head() || sequence >= next ? null : posted.get(sequence);
    return operation == null || operation.isEnded() ? null : operation;
  }

  public final PostedOperation awaitingRead(long sequence, long offset, long bytes) {
    PostedOperation read = awaiting(sequence);
    return read != null && read.request().operation() == Operation.READ && offset == read.progress()
      && bytes <= read.request().length() - offset ? read : null;
  }

  public final void arrived(PostedOperation read, long bytes) {
    read.progress(read.progress() + bytes);
    if (read.progress() == read.request().length()) {
      answered(read);
    }
  }

  public final boolean returned(long sequence, long value) {
    PostedOperation atomic = awaiting(sequence);
    if (atomic == null || !atomic.request().operation().isAtomic()) {
      return false;
    }
    if (((SoftwareRegion) atomic.request().region()).put(value, atomic.request().offset())) {
      answered(atomic);
    } else {
      endpoint.memoryGone(null);
    }
    return true;
  }

  private void answered(PostedOperation operation) {
    operation.end();
    readsOutstanding--;
  }

  /** Ends operations up to this one, except reads and atomics. */
  public final void executed(long sequence) {
    for (long each = Math.max(posted.head(), executed + 1); each <= sequence; each++) {
      PostedOperation operation = posted.get(each);
      if (!operation.request().operation().isRead()) {
        operation.end();
      }
    }
    executed = Math.max(executed, sequence);
  }

  public final void complete() {
    while (posted.head() < next && posted.first().isEnded()) {
      succeed(posted.take());
    }
  }

  private void succeed(PostedOperation operation) {
    WorkRequest request = operation.request();
    endpoint.succeeded(request.id(), request.operation(), operation.isSignaled(), request.length());
    reuse(operation);
  }

  private void reuse(PostedOperation operation) {
    operation.clear();
    unused.push(operation);
  }

  /** Sets the status with which {@link #flush} fails an operation. */
  public final void refused(long sequence, int status) {
    refusedSequence = sequence;
    refusedStatus = status;
  }

  public final void flush(String reason) {
    while (!posted.isEmpty()) {
      boolean refused = posted.head() == refusedSequence;
      PostedOperation operation = posted.take();
      if (operation.isEnded() && !refused) {
        succeed(operation);
      } else {
        endpoint.failed(operation.request().id(), operation.request().operation(), refused ? refusedStatus : Status.FLUSHED, reason);
        reuse(operation);
      }
    }
    next = posted.tail();
    readsOutstanding = 0;
  }
}
