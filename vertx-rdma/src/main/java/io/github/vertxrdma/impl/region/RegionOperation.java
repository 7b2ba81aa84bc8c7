package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/**
 * One call of the application on a remote region. Its future completes once: with the result, with a failure, or when its time is up; what
 * the fabric still does then is nobody's business but the memory's. Made on any thread, confined to the link's loop from {@link #begin} on.
 *
 * @param <T> the result
 */
abstract class RegionOperation<T> extends Pending {
  final Lease lease;
  final long offset;
  final long length;
  private final Promise<T> promise;
  private final long timeoutMillis;
  /** Where it stands among the lease's operations. */
  int place;
  boolean over;

  RegionOperation(Lease lease, long offset, long length, Promise<T> promise, long timeoutMillis) {
    this.lease = lease;
    this.offset = offset;
    this.length = length;
    this.promise = promise;
    this.timeoutMillis = timeoutMillis;
  }

  /** {@code "write"}; for messages. */
  abstract String verb();

  /** Whether the owner's memory changes, so that a failure leaves the outcome open. */
  boolean changesMemory() {
    return false;
  }

  /** Posts what may be posted now; called again whenever something has changed. */
  abstract void step();

  /** Its future is completed; for what must be let go then. */
  void ended() {
  }

  final void begin() {
    Throwable refusal = lease.admit(this, timeoutMillis);
    if (refusal != null) {
      over = true;
      promise.fail(failure(refusal, false));
      ended();
    } else {
      admitted();
      step();
    }
  }

  /** Before the first step. */
  void admitted() {
  }

  final void succeed(T result) {
    if (!over) {
      finish();
      promise.complete(result);
    }
  }

  final void fail(Throwable cause) {
    fail(cause, changesMemory());
  }

  /** @param unknown whether it may have taken effect all the same */
  final void fail(Throwable cause, boolean unknown) {
    if (!over) {
      finish();
      promise.fail(failure(cause, unknown));
    }
  }

  private void finish() {
    over = true;
    lease.finished(this);
    ended();
  }

  private RdmaException failure(Throwable cause, boolean unknown) {
    Reason reason = cause instanceof RdmaException e ? e.reason() : Reason.OTHER;
    return new RdmaException(reason, what() + " failed: " + cause.getMessage()
      + (unknown ? "; whether it took effect is unknown" : ""), cause);
  }

  /** For messages. */
  final String what() {
    return verb() + " of " + length + " bytes at " + offset + " of " + lease.label();
  }

  @Override
  void replied(int status, long value, MemorySegment memory, long at, int size) {
    if (status == RegionFrames.OK) {
      confirmed(value);
    } else {
      fail(RegionPeer.refusal(status, memory, at, size), false);
    }
  }

  /** The owner's answer to what it sent. */
  abstract void confirmed(long value);

  @Override
  final void lost(Throwable cause) {
    if (cause != null) {
      fail(cause);
    } else {
      fail(new RdmaException(Reason.TIMEOUT, "it did not finish in " + timeoutMillis + " ms"));
    }
  }
}
