package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.RmaRequest;
import io.github.vertxrdma.impl.link.RegionFrames;
import io.github.vertxrdma.impl.link.RmaHandler;
import io.github.vertxrdma.impl.link.RmaQueue;
import io.github.vertxrdma.provider.WorkRequest;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/**
 * One call on a remote region. Transfers data in chunks, then may send a request to the owner. Keeps the local memory until the fabric no
 * longer uses it, even after a timeout.
 */
final class RegionCall<T> extends Pending implements Runnable, RmaHandler {
  /** Maximum number of chunks of one call in flight, which leaves slots to other calls. */
  private static final int WINDOW = 4;

  /**
   * Frame that a call sends to the region's owner. It never arrives before the data of the call.
   *
   * @param withLastChunk whether the fabric posts the frame together with the last chunk of the data
   */
  record Request(int type, int flags, byte[] payload, boolean withLastChunk) {

    /** Returns whether the region delivers these frames in the order of the calls. */
    boolean isNotification() {
      return type == RegionFrames.NOTIFY || type == RegionFrames.WRITE_NOTIFY;
    }
  }

  final RegionLease lease;
  final long offset;
  final long length;
  private final Request request;
  private final RegionOperation operation;
  private final LocalMemory<T> local;
  private final Promise<T> promise;
  /** In milliseconds. */
  private final int timeout;
  private int chunkSize;
  private long posted;
  private int unfinished;
  private int unreleased;
  /** True while the call waits for its turn among the notifications of the lease. */
  private boolean queued;
  private boolean requestSent;
  boolean ended;

  RegionCall(RegionLease lease, RegionOperation operation, long offset, long length, LocalMemory<T> local, Request request,
    Promise<T> promise, int timeoutMillis) {
    this.lease = lease;
    this.operation = operation;
    this.offset = offset;
    this.length = length;
    this.local = local;
    this.request = request;
    this.promise = promise;
    this.timeout = timeoutMillis;
  }

  @Override
  public void run() {
    Throwable refusal = lease.admit(this, timeout);
    if (refusal != null) {
      ended = true;
      promise.fail(failure(refusal, false));
      local.released();
      return;
    }
    if (request != null && request.isNotification()) {
      queued = true;
      lease.queue(this);
    }
    chunkSize = local.chunkSize(lease.peer);
    step();
  }

  void step() {
    if (!ended && (chunkSize == 0 || postChunks())) {
      local.transferred(this);
    }
  }

  private boolean postChunks() {
    while (!ended && posted < length && unreleased < WINDOW && lease.mayTransfer(this)) {
      long at = posted;
      int size = (int) Math.min(chunkSize, length - at);
      boolean withRequest = at + size == length && request != null && request.withLastChunk();
      if (withRequest && (unfinished > 0 || !isNext())) {
        return false;
      }
      posted += size;
      unfinished++;
      unreleased++;
      lease.chunkBegins();
      RmaQueue rma = lease.peer.link.rma();
      RmaRequest chunk = rma.request(this);
      local.prepare(chunk.work, lease.remote(), offset + at, at, size);
      if (withRequest) {
        requestSent = true;
        rma.submitWith(chunk, request.type(), id(), handle(), request.payload());
        dequeue();
      } else {
        rma.submit(chunk);
      }
    }
    return !ended && posted == length && unfinished == 0;
  }

  void confirm() {
    if (request == null) {
      succeed(local.result(0));
    } else if (chunkSize > 0 || lease.mayTransfer(this)) {
      sendRequest();
    }
  }

  private void sendRequest() {
    if (requestSent || !isNext()) {
      return;
    }
    requestSent = true;
    if (request.type() == RegionFrames.WRITE_NOTIFY) {
      lease.peer.sendInline(this, handle(), request.payload());
    } else {
      lease.peer.link.sendFrame(request.type(), request.flags(), id(), handle(), request.payload());
    }
    dequeue();
  }

  private long handle() {
    return request.type() == RegionFrames.FLUSH ? 0 : lease.description.handle();
  }

  private boolean isNext() {
    return !queued || lease.isNext(this);
  }

  private void dequeue() {
    if (queued) {
      queued = false;
      lease.dequeue(this);
    }
  }

  void restart() {
    if (!ended) {
      posted = 0;
      step();
    }
  }

  private void succeed(T result) {
    finish();
    promise.complete(result);
  }

  void fail(Throwable cause) {
    fail(cause, operation.changesMemory());
  }

  private void fail(Throwable cause, boolean unknown) {
    if (!ended) {
      finish();
      promise.fail(failure(cause, unknown));
    }
  }

  private void finish() {
    ended = true;
    releaseIfDone();
    lease.finished(this);
    dequeue();
  }

  private void releaseIfDone() {
    if (ended && unreleased == 0) {
      local.released();
    }
  }

  @Override
  public boolean readsInto(WorkRequest work) {
    try {
      return local.readsInto(work, work.remoteOffset() - offset);
    } catch (RuntimeException e) {
      // The application released the buffer. The call fails later, in the copy from staging memory.
      return false;
    }
  }

  @Override
  public void fill(MemorySegment memory, long to, long remoteOffset, int size) {
    local.copy(memory, to, remoteOffset - offset, size);
  }

  @Override
  public void read(MemorySegment memory, long from, long remoteOffset, int size) {
    // After a timeout, the application may reuse its buffer.
    if (!ended) {
      try {
        local.copy(memory, from, remoteOffset - offset, size);
      } catch (RuntimeException | OutOfMemoryError e) {
        // The buffer is read-only, released or cannot grow. The connection remains usable.
        fail(new RdmaException(Reason.OTHER, "cannot copy the data to the buffer: " + e, e), false);
      }
    }
  }

  @Override
  public boolean cancelled() {
    return ended;
  }

  /** Called when a chunk was removed before its post. The next {@link #step} posts it again. */
  void chunkRemoved(int size) {
    posted -= size;
    unfinished--;
    unreleased--;
    releaseIfDone();
    lease.chunkReleased();
  }

  @Override
  public void done(Throwable failure) {
    unfinished--;
    if (failure != null) {
      fail(failure);
    } else {
      step();
    }
  }

  @Override
  public void released() {
    unreleased--;
    releaseIfDone();
    lease.chunkReleased();
    step();
  }

  private RdmaException failure(Throwable cause, boolean unknown) {
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason,
      lease.label() + ": " + operation + local.errorSuffix() + " of " + length + " bytes at offset " + offset + " failed: "
        + lease.words(cause) + (unknown ? "; whether it took effect is unknown" : ""),
      cause, unknown);
  }

  @Override
  void replied(int status, long value, MemorySegment memory, int size) {
    // Successful inline writes get no reply, but a confirmation of several writes.
    if (!requestSent || request.type() == RegionFrames.WRITE_NOTIFY && status == RegionFrames.OK) {
      IllegalArgumentException unexpected = new IllegalArgumentException("no request waits for this reply");
      fail(unexpected);
      throw unexpected;
    }
    if (status != RegionFrames.OK) {
      // The owner's memory may contain posted data despite the refusal.
      fail(RegionPeer.refusal(status, memory, size), posted > 0 && operation.changesMemory());
    } else {
      confirmed(value);
    }
  }

  void confirmed(long value) {
    if (!ended) {
      succeed(local.result(value));
    }
  }

  @Override
  protected void failed(Throwable cause) {
    fail(cause != null ? cause : new RdmaException(Reason.TIMEOUT, "the operation did not finish within " + timeout + " ms"));
  }
}
