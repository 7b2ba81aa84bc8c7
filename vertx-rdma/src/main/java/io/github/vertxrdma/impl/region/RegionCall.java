package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.WorkRequest;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/**
 * One call on a remote region: moves bytes in chunks, several at once, and then may send a request to the owner. Its future completes once,
 * with a result, a failure or on timeout. Memory that the fabric still uses is kept until its release. Created on any thread; confined to
 * the link's loop from {@link #run} on.
 *
 * @param <T> the result
 */
final class RegionCall<T> extends Pending implements Runnable, RmaHandler {
  /** Chunks in flight: keeps a fabric busy, and leaves room for other calls. */
  private static final int WINDOW = 4;

  final Lease lease;
  final long offset;
  final long length;
  /** May be null. */
  final OwnerRequest request;
  private final Verb verb;
  private final LocalMemory<T> local;
  private final Promise<T> promise;
  /** Maximum size of a chunk; 0 if there is only a request. */
  private int chunkSize;
  /** Bytes of started chunks; chunks without a completion; chunks whose memory the fabric may use. */
  private long posted;
  private int unfinished;
  private int unreleased;
  /** Index in the lease's calls. */
  int place;
  boolean over;

  /** @param request may be null */
  RegionCall(Lease lease, Verb verb, long offset, long length, LocalMemory<T> local, OwnerRequest request, Promise<T> promise,
    int timeoutMillis) {
    this.lease = lease;
    this.verb = verb;
    this.offset = offset;
    this.length = length;
    this.local = local;
    this.request = request;
    this.promise = promise;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public void run() {
    Throwable refusal = lease.admit(this, timeoutMillis);
    if (refusal != null) {
      over = true;
      promise.fail(failure(refusal, false));
      local.released();
      return;
    }
    if (request != null) {
      request.queue(this);
    }
    chunkSize = local.chunkSize(lease.peer);
    step();
  }

  /** Posts and sends what is possible now. Called after each change. */
  void step() {
    if (!over && (chunkSize == 0 || move())) {
      local.moved(this);
    }
  }

  /** Starts chunks. @return true when all bytes are moved */
  private boolean move() {
    while (!over && posted < length && unreleased < WINDOW && lease.mayTransfer(this)) {
      long at = posted;
      int size = (int) Math.min(chunkSize, length - at);
      boolean withRequest = at + size == length && request != null && request.isTogether();
      if (withRequest && (unfinished > 0 || !request.isNext(this))) {
        return false;
      }
      posted += size;
      unfinished++;
      unreleased++;
      lease.chunkBegins();
      if (withRequest) {
        request.sendBehind(this, at, size);
      } else {
        local.post(lease.peer.link.rma(), lease.remote(), offset + at, at, size, this);
      }
    }
    return !over && posted == length && unfinished == 0;
  }

  /** Succeeds, or sends the request first. */
  void confirm() {
    if (request == null) {
      succeed(local.result(0));
    } else if (chunkSize > 0 || lease.mayTransfer(this)) {
      request.send(this);
    }
  }

  /** Moves all bytes again. */
  void restart() {
    if (!over) {
      posted = 0;
      step();
    }
  }

  private void succeed(T result) {
    finish();
    promise.complete(result);
  }

  void fail(Throwable cause) {
    fail(cause, verb.changesMemory());
  }

  /** @param unknown true if the operation may have taken effect */
  private void fail(Throwable cause, boolean unknown) {
    if (!over) {
      finish();
      promise.fail(failure(cause, unknown));
    }
  }

  private void finish() {
    over = true;
    releaseIfDone();
    lease.finished(this);
    if (request != null) {
      request.dequeue(this);
    }
  }

  /** Releases local memory when the call and the fabric are done with it. */
  private void releaseIfDone() {
    if (over && unreleased == 0) {
      local.released();
    }
  }

  // ---- chunks

  @Override
  public boolean readsInto(WorkRequest work) {
    try {
      return local.readsInto(work, work.remoteOffset() - offset);
    } catch (RuntimeException e) {
      // The buffer was released: the later copy from staging memory fails the call.
      return false;
    }
  }

  @Override
  public void fill(MemorySegment memory, long to, long remoteOffset, int size) {
    local.copy(memory, to, remoteOffset - offset, size);
  }

  @Override
  public void read(MemorySegment memory, long from, long remoteOffset, int size) {
    // After the timeout the application may reuse its buffer.
    if (!over) {
      try {
        local.copy(memory, from, remoteOffset - offset, size);
      } catch (RuntimeException | OutOfMemoryError e) {
        // The buffer is read-only, released or cannot grow. The connection is intact.
        fail(new RdmaException(Reason.OTHER, "the buffer does not take the bytes: " + e, e), false);
      }
    }
  }

  @Override
  public boolean cancelled() {
    return over;
  }

  /** Called for an unposted chunk, one of the last, which restarts with the next {@link #step}. */
  void takenBack(int size) {
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
    // Another chunk may have waited for this one.
    step();
  }

  // ---- end

  private RdmaException failure(Throwable cause, boolean unknown) {
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason, verb + local.remark() + " of " + length + " bytes at " + offset + " of " + lease.label() + " failed: "
      + cause.getMessage() + (unknown ? "; whether it took effect is unknown" : ""), cause, unknown);
  }

  @Override
  void replied(int status, long value, MemorySegment memory, int size) {
    if (request == null || !request.awaits(status)) {
      IllegalArgumentException untrue = new IllegalArgumentException("an answer to what was not asked");
      // The call is in no table any more.
      fail(untrue);
      throw untrue;
    }
    if (status != RegionFrames.OK) {
      // Data was written before the refusal.
      fail(RegionPeer.refusal(status, memory, size), posted > 0 && verb.changesMemory());
    } else {
      confirmed(value);
    }
  }

  /** Called when the owner has executed the request. */
  void confirmed(long value) {
    if (!over) {
      succeed(local.result(value));
    }
  }

  @Override
  void lost(Throwable cause) {
    fail(cause != null ? cause : new RdmaException(Reason.TIMEOUT, "it did not finish in " + timeoutMillis + " ms"));
  }
}
