package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.Call;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.impl.calls.Attempts;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;

/** A call on the caller's side. Confined to the client's event loop, except the methods of {@link Call}. */
final class CallImpl implements Call, Handler<AsyncResult<Void>> {
  final FunctionClientImpl client;
  final String function;
  /** With the headers of a trace at the beginning. */
  final Buffer arguments;
  final int headers;
  final int maxResult;
  /** Time of {@link System#nanoTime}, if it is {@link #limited}. */
  final long deadline;
  final boolean limited;
  private final Promise<Buffer> promise;
  /** Null if a single result was requested. */
  ResultStreamImpl stream;
  /** A result that came before the last parts. */
  Buffer held;
  private final int retries;
  /** Null before its worker is lost. */
  private Attempts attempts;
  /** True while the client checks its time, which starts when it begins. */
  boolean counted;
  /** Its number in the order of all calls. */
  long number;
  /** True while it waits for a free worker. */
  boolean waits;
  private boolean done;
  /** Bytes of parts that were read and not reported to the worker. */
  private long unreported;
  /** True while the fabric has not taken the last report about them. */
  private boolean reporting;
  /** Worker that runs it; null while it waits. */
  WorkerLink link;
  long id;
  int slots;
  int room;
  /** The next call of the same frame; null for none. */
  CallImpl behind;
  /** True until the write of its frame completes. */
  boolean isWriting;
  /** True if the write failed before anything was sent. */
  boolean isUnsent;
  /** Cause of the loss of its worker, while the write has not completed; null otherwise. */
  FunctionException loss;

  /** @param headers bytes of the arguments that are headers of a trace */
  CallImpl(FunctionClientImpl client, String function, Buffer arguments, int headers, int maxResult, int retries, long timeoutNanos,
    Promise<Buffer> promise) {
    this.client = client;
    this.function = function;
    this.arguments = arguments;
    this.headers = headers;
    this.maxResult = maxResult;
    this.retries = retries;
    this.limited = timeoutNanos > 0;
    this.deadline = limited ? System.nanoTime() + timeoutNanos : 0;
    this.promise = promise;
  }

  @Override
  public Future<Buffer> result() {
    return promise.future();
  }

  @Override
  public void cancel() {
    client.execute(() -> {
      giveUp(Reason.CANCELLED, "was cancelled");
      client.dispatch();
    });
  }

  /** Returns whether its future is complete: answers of the worker are not needed any more. */
  boolean isDone() {
    return done;
  }

  /** Returns whether it has exceeded its time. @param now of {@link System#nanoTime} */
  boolean isLate(long now) {
    return limited && !done && deadline - now < 0;
  }

  int slot() {
    return Wire.slot(id);
  }

  void succeed(Buffer result) {
    if (finish()) {
      promise.complete(result);
    }
  }

  void fail(FunctionException cause) {
    if (finish()) {
      promise.fail(cause);
    }
  }

  private boolean finish() {
    if (done) {
      return false;
    }
    done = true;
    client.finished(this);
    return true;
  }

  /** Counts another attempt. @return whether it may be made */
  boolean again() {
    if (attempts == null) {
      attempts = new Attempts(Attempts.Limits.of(retries + 1));
    }
    long left = limited ? deadline - System.nanoTime() : 0;
    return (!limited || left > 0) && attempts.next(true, left) >= 0;
  }

  /** Called when the write of its frame has completed, for the first call of each frame. */
  @Override
  public void handle(AsyncResult<Void> written) {
    WorkerLink on = link;
    boolean unsent = written.failed() && Attempts.isUnsent(written.cause());
    CallImpl next;
    for (CallImpl call = this; call != null; call = next) {
      next = call.behind;
      call.behind = null;
      call.isWriting = false;
      call.isUnsent = unsent;
      if (call.loss != null) {
        client.lost(call, call.loss);
        client.dispatch();
      }
    }
    if (written.failed()) {
      on.unwritten(written.cause());
    }
  }

  /** Reports to the worker that bytes of parts were read. Further reports wait until the fabric has taken this one. */
  void read(long bytes) {
    unreported += bytes;
    if (!reporting && unreported > 0 && !done && link != null) {
      reporting = true;
      long reported = unreported;
      unreported = 0;
      link.read(this, reported).onComplete(taken -> {
        reporting = false;
        read(0);
      });
    }
  }

  /**
   * Ends it after its time has passed, or it was cancelled. Its slots stay occupied until the worker has answered. If it waited, others may
   * be sent with the next {@link Dispatcher#dispatch}.
   */
  void giveUp(Reason reason, String what) {
    if (done) {
      return;
    }
    WorkerLink on = link;
    fail(new FunctionException(reason, "the call of function '" + function + "' " + what + (on == null
      ? " while it waited for a free worker" : "; invocation " + Long.toHexString(id) + " on " + on + " may have run")));
    if (on != null) {
      on.cancel(this);
    }
  }
}
