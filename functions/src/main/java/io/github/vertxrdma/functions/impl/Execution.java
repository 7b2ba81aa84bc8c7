package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.Invocation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;

/** A call on its worker, from its arrival to its only answer. */
final class Execution implements Invocation {
  final WorkerSession session;
  final FunctionTable.Entry function;
  final long id;
  final long resultAt;
  final int room;
  private final Buffer arguments;
  /** Of {@link System#nanoTime}; meaningless without a limit. */
  private final long deadline;
  private final boolean limited;
  private volatile boolean cancelled;
  private Handler<Void> cancelHandler;
  /** Time that the function ran on its thread; written before the answer is handed to the event loop. */
  long nanos;
  /** On the event loop only. */
  boolean answered;

  Execution(WorkerSession session, FunctionTable.Entry function, long id, long resultAt, int room, int millis, Buffer arguments) {
    this.session = session;
    this.function = function;
    this.id = id;
    this.resultAt = resultAt;
    this.room = room;
    this.arguments = arguments;
    this.limited = millis > 0;
    this.deadline = limited ? System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis) : 0;
  }

  int slot() {
    return (int) id & Wire.MAX_SLOTS - 1;
  }

  /** Runs the function on the present thread. */
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

  /** Tells the function that nobody waits; on the event loop. */
  void cancel() {
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
  public long remainingMillis() {
    return limited ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) : Long.MAX_VALUE;
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
