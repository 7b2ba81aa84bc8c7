package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/**
 * One call of the application on a remote region: it moves bytes in chunks, sends the owner a request, or does one after the other. Its future
 * completes once: with the result, with a failure, or when its time is up; memory that the fabric may still use then is kept until it does
 * not. Made on any thread, confined to the link's loop from {@link #run} on.
 *
 * @param <T> the result
 */
final class RegionCall<T> extends Pending implements Runnable {
  final Lease lease;
  final long offset;
  final long length;
  /** Null if it has none. */
  final OwnerRequest request;
  private final Verb verb;
  private final LocalMemory<T> local;
  private final Promise<T> promise;
  private final int timeoutMillis;
  /** Null if the request is all of it, and before it begins. */
  private Chunks chunks;
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
    int chunkSize = local.chunkSize(lease.peer);
    if (chunkSize > 0) {
      chunks = lease.takeChunks();
      chunks.begin(this, local, chunkSize);
    }
    step();
  }

  /** Posts and sends what may be now; called again whenever something has changed. */
  void step() {
    if (!over && (chunks == null || chunks.step())) {
      local.moved(this);
    }
  }

  /** Ends it well, or asks the owner first. */
  void confirm() {
    if (request == null) {
      succeed(local.result(0));
    } else if (chunks != null || lease.mayTransfer(this)) {
      request.send(this);
    }
  }

  /** Moves all bytes once more. */
  void restart() {
    if (!over) {
      chunks.restart();
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
    lease.finished(this);
    if (request != null) {
      request.dequeue(this);
    }
    if (chunks == null) {
      local.released();
    } else {
      chunks.releaseIfDone();
    }
  }

  private RdmaException failure(Throwable cause, boolean unknown) {
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason, verb + local.remark() + " of " + length + " bytes at " + offset + " of " + lease.label() + " failed: "
      + cause.getMessage() + (unknown ? "; whether it took effect is unknown" : ""), cause, unknown);
  }

  @Override
  void replied(int status, long value, MemorySegment memory, int size) {
    if (request == null || !request.awaits(status)) {
      throw new IllegalArgumentException("an answer to what was not asked");
    }
    if (status != RegionFrames.OK) {
      fail(RegionPeer.refusal(status, memory, size), false);
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
