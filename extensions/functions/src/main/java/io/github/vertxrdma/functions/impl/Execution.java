package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Invocation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

/** A call at its worker, which is answered once. */
final class Execution implements Invocation {
  private static final AtomicIntegerFieldUpdater<Execution> DECIDED = AtomicIntegerFieldUpdater.newUpdater(Execution.class, "decided");

  final WorkerSession session;
  final FunctionTable.Entry function;
  final CallHeader call;
  final long id;
  private final Buffer arguments;
  private final long deadline;
  private final boolean limited;
  private volatile boolean cancelled;
  /** 1 when the function has begun, or must not begin any more. */
  private volatile int decided;
  private Handler<Void> cancelHandler;
  /** Null if the client requested a single result. */
  final PartsOut parts;
  /** Nanoseconds for which the function ran. Written before the event loop gets the answer. */
  long nanos;
  /** True after the answer. Event loop only. */
  boolean answered;
  /** True if the call was cancelled and its function still runs ({@link AbandonedCalls}). Event loop only. */
  boolean abandoned;
  Buffer headers;
  /** Next call of the same frame; null for none. */
  Execution nextInFrame;
  /** Ends the span of the call, with the cause of a failure or null; null for no span. */
  Consumer<FunctionException> span;

  Execution(WorkerSession session, FunctionTable.Entry function, CallHeader call, Buffer arguments) {
    this.session = session;
    this.function = function;
    this.call = call;
    this.id = call.id();
    this.arguments = arguments;
    this.parts = call.window() > 0 ? new PartsOut(this, call.window()) : null;
    this.limited = call.millis() > 0;
    this.deadline = limited ? System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(call.millis()) : 0;
  }

  /** Begins the call on the worker's thread. Returns null if it was cancelled or forgotten before. */
  Future<Buffer> begin() {
    return isCancelled() || !DECIDED.compareAndSet(this, 0, 1) ? null : run();
  }

  /** Prevents the call from beginning. Returns false if it has begun. */
  boolean forget() {
    return DECIDED.compareAndSet(this, 0, 1);
  }

  Future<Buffer> run() {
    long start = System.nanoTime();
    try {
      Future<Buffer> result = function.function().call(this);
      return result == null ? Future.failedFuture("it returned no future") : result;
    } catch (Throwable e) {
      return Future.failedFuture(e);
    } finally {
      nanos = System.nanoTime() - start;
    }
  }

  @Override
  public Future<Void> write(Buffer part) {
    if (parts == null) {
      return Future.failedFuture(new FunctionException(Reason.PROTOCOL, "the caller of function '" + function.name()
        + "' asked for a single result, not for a stream"));
    }
    Promise<Void> promise = Promise.promise();
    session.execute(() -> parts.write(part).onComplete(promise));
    return promise.future();
  }

  void endParts() {
    if (parts != null) {
      parts.end(new FunctionException(Reason.CANCELLED, "the caller waits for no more parts of invocation " + Long.toHexString(id)));
    }
  }

  void cancel() {
    endParts();
    Handler<Void> handler;
    synchronized (this) {
      cancelled = true;
      handler = cancelHandler;
      cancelHandler = null;
    }
    if (handler != null) {
      session.emit(handler);
    }
  }

  @Override
  public String function() {
    return function.name();
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public Buffer arguments() {
    return arguments;
  }

  @Override
  public String client() {
    return session.client();
  }

  @Override
  public Duration remaining() {
    return limited ? Duration.ofNanos(Math.max(0, deadline - System.nanoTime())) : null;
  }

  @Override
  public boolean isCancelled() {
    return cancelled || limited && deadline - System.nanoTime() < 0;
  }

  @Override
  public Invocation cancelHandler(Handler<Void> handler) {
    synchronized (this) {
      if (!cancelled) {
        cancelHandler = handler;
        return this;
      }
    }
    session.emit(handler);
    return this;
  }
}
