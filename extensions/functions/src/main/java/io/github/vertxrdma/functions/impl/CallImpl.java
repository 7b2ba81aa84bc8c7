package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.functions.Call;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;

/** A call at the client. Confined to the client's event loop, except the methods of {@link Call}. */
final class CallImpl implements Call, Handler<AsyncResult<Void>> {
  final FunctionClientImpl client;
  final String function;
  /** Trace headers, then the arguments. Null after completion: a completed call may stay in a queue. */
  Buffer arguments;
  final int headers;
  final int maxResult;
  final long deadline;
  final boolean limited;
  /** Null unless the time is limited. */
  final Deadline timeout;
  private final Promise<Buffer> promise;
  /** Null if a single result was requested. */
  ResultStreamImpl stream;
  /** Result that arrived before the last parts of the stream; otherwise null. */
  Buffer earlyResult;
  private int retriesLeft;
  long number;
  boolean waits;
  private boolean done;
  private long unreported;
  private boolean reporting;
  /** Worker of the call; null while the call waits in a queue. */
  WorkerLink link;
  long id;
  int slots;
  /** Bytes for the result in the slots of the call; at least {@link #maxResult}. Set when the call is sent. */
  int slotResultBytes;
  /** In the same frame. */
  CallImpl nextInFrame;
  boolean isWriting;
  boolean isUnsent;
  /** Cause if the worker was lost during the write of the call; otherwise null. */
  FunctionException loss;

  CallImpl(FunctionClientImpl client, String function, Buffer arguments, int headers, int maxResult, int retries, long timeoutNanos,
    Promise<Buffer> promise) {
    this.client = client;
    this.function = function;
    this.arguments = arguments;
    this.headers = headers;
    this.maxResult = maxResult;
    this.retriesLeft = retries;
    this.limited = timeoutNanos > 0;
    this.deadline = limited ? System.nanoTime() + timeoutNanos : 0;
    this.timeout = limited ? Deadline.of(this::timedOut) : null;
    this.promise = promise;
  }

  @Override
  public Future<Buffer> result() {
    return promise.future();
  }

  @Override
  public void cancel() {
    client.execute(() -> {
      abandon(Reason.CANCELLED, "was cancelled");
      client.dispatcher.dispatch();
    });
  }

  private void timedOut() {
    abandon(Reason.TIMEOUT, "timed out");
    client.dispatcher.dispatch();
  }

  boolean isDone() {
    return done;
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
    arguments = null;
    if (timeout != null) {
      timeout.cancel();
    }
    client.dispatcher.finished(this);
    return true;
  }

  /** Counts another attempt, and returns whether it may be made. */
  boolean again() {
    return (!limited || deadline - System.nanoTime() > 0) && retriesLeft-- > 0;
  }

  /** Called for the first call of a frame, when its write has completed. */
  @Override
  public void handle(AsyncResult<Void> written) {
    WorkerLink on = link;
    boolean unsent = written.failed() && Instances.isUnsent(written.cause());
    CallImpl next;
    for (CallImpl call = this; call != null; call = next) {
      next = call.nextInFrame;
      call.nextInFrame = null;
      call.isWriting = false;
      call.isUnsent |= unsent;
      if (call.loss != null) {
        client.dispatcher.lost(call, call.loss);
        client.dispatcher.dispatch();
      }
    }
    if (written.failed()) {
      on.unwritten(written.cause());
    }
  }

  /** Reports read bytes of parts to the worker. Sends one report at a time. */
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

  /** Fails the call. Its slots stay occupied until the worker answers. */
  void abandon(Reason reason, String what) {
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
