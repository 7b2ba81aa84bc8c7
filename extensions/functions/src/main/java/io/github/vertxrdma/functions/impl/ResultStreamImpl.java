package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.ResultStream;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Parts of a result. The client's event loop receives and counts them. All other fields are confined to the caller's context, which calls
 * the handlers.
 */
final class ResultStreamImpl implements ResultStream {
  /** Bytes of unread parts at which the worker stops sending. */
  static final int WINDOW = 256 << 10;

  private final ContextInternal context;
  private final AtomicLong unreadBytes = new AtomicLong();
  private final AtomicInteger unreadParts = new AtomicInteger();
  private CallImpl call;
  /** Received parts. Client's event loop only, as the next field. */
  private long received;
  /** Number of parts; -1 before the result arrives. */
  private long expected = -1;
  /** True after the call has failed: later parts are dropped. Written by the caller's context, read by the client's event loop. */
  private volatile boolean isFailed;
  private Throwable failure;
  private final ArrayDeque<Buffer> parts = new ArrayDeque<>();
  private Handler<Buffer> handler;
  private Handler<Void> endHandler;
  private Handler<Throwable> exceptionHandler;
  private long demand = Long.MAX_VALUE;
  /** Bytes of read parts that are not reported to the worker yet. */
  private long unreported;
  private boolean hasAll;
  private boolean isEnded;
  private boolean delivering;

  ResultStreamImpl(ContextInternal context) {
    this.context = context;
  }

  void call(CallImpl made) {
    call = made;
    made.result().onFailure(cause -> {
      isFailed = true;
      // Runs after the tasks of parts that arrived earlier.
      context.runOnContext(v -> {
        failure = cause;
        deliver();
      });
    });
  }

  /**
   * Adds a part, or drops it if the call has failed. Read bytes are subtracted before they are reported, so correct workers never exceed
   * the window.
   *
   * @return true if this is the last part, and the result has arrived
   * @throws IllegalArgumentException if the window was full
   */
  boolean arrived(Buffer part) {
    received++;
    if (!isFailed) {
      // Also limits the number of parts, since empty parts need memory too.
      if (unreadBytes.get() >= WINDOW || unreadParts.get() >= WINDOW) {
        throw new IllegalArgumentException("cannot accept " + part.length() + " more bytes of a result of which " + unreadBytes
          + " bytes in " + unreadParts + " parts are unread; the limit is " + WINDOW + ". Let its function wait for the future of each "
          + "Invocation.write");
      }
      unreadBytes.addAndGet(part.length());
      unreadParts.incrementAndGet();
      context.runOnContext(v -> {
        if (!isEnded) {
          parts.add(part);
          deliver();
        }
      });
    }
    return isComplete();
  }

  boolean hasBegun() {
    return received > 0;
  }

  /** Resets the number of parts that an earlier worker reported. */
  void again() {
    expected = -1;
  }

  /** Returns true if all parts have arrived. */
  boolean expect(long count) {
    expected = count;
    return isComplete();
  }

  private boolean isComplete() {
    if (expected < 0 || received < expected) {
      return false;
    }
    context.runOnContext(v -> {
      hasAll = true;
      deliver();
    });
    return true;
  }

  /** Calls handlers after the present task, which may be about to set further handlers. */
  private void deliverLater() {
    context.runOnContext(v -> deliver());
  }

  private void deliver() {
    if (delivering || isEnded) {
      return;
    }
    delivering = true;
    // Also after a failure, because these parts arrived before it.
    while (handler != null && demand > 0 && !parts.isEmpty()) {
      Buffer part = parts.poll();
      int bytes = part.length();
      demand -= demand == Long.MAX_VALUE ? 0 : 1;
      unreadBytes.addAndGet(-bytes);
      unreadParts.decrementAndGet();
      reportRead(bytes);
      context.dispatch(part, handler);
    }
    delivering = false;
    if (failure != null) {
      isEnded = true;
      parts.clear();
      report(failure, exceptionHandler);
    } else if (hasAll && parts.isEmpty() && handler != null) {
      isEnded = true;
      report(null, endHandler);
    }
  }

  /** Reports bytes of read parts in one message for all parts that have arrived. */
  private void reportRead(int bytes) {
    if (unreported == 0 && bytes > 0) {
      // Runs after the tasks of parts that have already arrived.
      context.runOnContext(v -> {
        long read = unreported;
        unreported = 0;
        call.client.execute(() -> call.read(read));
      });
    }
    unreported += bytes;
  }

  private <T> void report(T event, Handler<T> to) {
    if (to != null) {
      context.dispatch(event, to);
    }
  }

  // The following methods may be called on any thread.

  @Override
  public ResultStream handler(Handler<Buffer> value) {
    return execute(() -> {
      handler = value;
      deliverLater();
    });
  }

  @Override
  public ResultStream exceptionHandler(Handler<Throwable> value) {
    return execute(() -> {
      exceptionHandler = value;
      if (isEnded && failure != null) {
        context.runOnContext(v -> report(failure, value));
      }
    });
  }

  @Override
  public ResultStream endHandler(Handler<Void> value) {
    return execute(() -> {
      endHandler = value;
      if (isEnded && failure == null) {
        context.runOnContext(v -> report(null, value));
      }
    });
  }

  @Override
  public ResultStream pause() {
    return execute(() -> demand = 0);
  }

  @Override
  public ResultStream resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  public ResultStream fetch(long amount) {
    return execute(() -> {
      demand = amount > Long.MAX_VALUE - demand ? Long.MAX_VALUE : demand + amount;
      deliverLater();
    });
  }

  private ResultStream execute(Runnable task) {
    context.execute(task);
    return this;
  }

  @Override
  public Future<Buffer> result() {
    return call.result();
  }

  @Override
  public void cancel() {
    call.cancel();
  }
}
