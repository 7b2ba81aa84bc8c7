package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.github.vertxrdma.provider.WorkRequest;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/**
 * One call of the application on a remote region: it moves bytes in chunks, several of them at once, sends the owner a request, or does one
 * after the other. Its future completes once: with the result, with a failure, or when its time is up; memory that the fabric may still use
 * then is kept until it does not. Made on any thread, confined to the link's loop from {@link #run} on.
 *
 * @param <T> the result
 */
final class RegionCall<T> extends Pending implements Runnable, RmaHandler {
  /** Chunks under way at once: enough to keep a fabric busy, few enough to leave room for others. */
  private static final int WINDOW = 4;

  final Lease lease;
  final long offset;
  final long length;
  /** Null if it has none. */
  final OwnerRequest request;
  private final Verb verb;
  private final LocalMemory<T> local;
  private final Promise<T> promise;
  /** Bytes of a chunk at most; 0 if the request is all of it. */
  private int chunkSize;
  /** Bytes of chunks that have begun, chunks whose end is not known, and those whose memory the fabric may touch. */
  private long posted;
  private int unfinished;
  private int unreleased;
  /** Place among the lease's calls. */
  int place;
  boolean over;

  /**
   * Makes it; {@link #run} begins it.
   *
   * @param request null for none
   */
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

  /** Posts and sends what may be now; called again whenever something has changed. */
  void step() {
    if (!over && (chunkSize == 0 || move())) {
      local.moved(this);
    }
  }

  /** Begins the chunks that may begin now. @return true once all bytes are moved */
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

  /** Ends it well, or asks the owner first. */
  void confirm() {
    if (request == null) {
      succeed(local.result(0));
    } else if (chunkSize > 0 || lease.mayTransfer(this)) {
      request.send(this);
    }
  }

  /** Moves all bytes once more. */
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

  /** @param unknown true if it may have taken effect all the same */
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

  /** Lets go of its memory, once it is over and the fabric touches nothing of it. */
  private void releaseIfDone() {
    if (over && unreleased == 0) {
      local.released();
    }
  }

  // ---- its chunks

  @Override
  public boolean readsInto(WorkRequest work) {
    try {
      return local.readsInto(work, work.remoteOffset() - offset);
    } catch (RuntimeException e) {
      // The application has released its buffer: the copy from staging memory fails the call.
      return false;
    }
  }

  @Override
  public void fill(MemorySegment memory, long to, long remoteOffset, int size) {
    local.copy(memory, to, remoteOffset - offset, size);
  }

  @Override
  public void read(MemorySegment memory, long from, long remoteOffset, int size) {
    // After its time the application may use its buffer for something else.
    if (!over) {
      try {
        local.copy(memory, from, remoteOffset - offset, size);
      } catch (RuntimeException | OutOfMemoryError e) {
        // A buffer of the application that is read-only, released, or cannot grow so far: no concern of the connection's.
        fail(new RdmaException(Reason.OTHER, "the buffer does not take the bytes: " + e, e), false);
      }
    }
  }

  @Override
  public boolean cancelled() {
    return over;
  }

  /** A chunk was not posted. Chunks are posted in their order, so it is one of the last, and begins again with the next {@link #step}. */
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
    // Its place may be all that a further chunk waited for.
    step();
  }

  // ---- its end

  private RdmaException failure(Throwable cause, boolean unknown) {
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason, verb + local.remark() + " of " + length + " bytes at " + offset + " of " + lease.label() + " failed: "
      + cause.getMessage() + (unknown ? "; whether it took effect is unknown" : ""), cause, unknown);
  }

  @Override
  void replied(int status, long value, MemorySegment memory, int size) {
    if (request == null || !request.awaits(status)) {
      IllegalArgumentException untrue = new IllegalArgumentException("an answer to what was not asked");
      // No table knows it any more.
      fail(untrue);
      throw untrue;
    }
    if (status != RegionFrames.OK) {
      // Bytes that were written before the owner was asked are there.
      fail(RegionPeer.refusal(status, memory, size), posted > 0 && verb.changesMemory());
    } else {
      confirmed(value);
    }
  }

  /** The owner has done what it was asked for. */
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
