package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.ResultStream;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;

/** Parts of a result, received on the client's event loop and delivered on the caller's context. */
final class ResultStreamImpl implements ResultStream {
  /** Bytes of unread parts at which the worker stops sending. */
  static final int WINDOW = 256 << 10;

  private final ContextInternal context;
  private final ArrayDeque<Buffer> parts = new ArrayDeque<>();
  private CallImpl call;
  private Handler<Buffer> handler;
  private Handler<Void> endHandler;
  private Handler<Throwable> exceptionHandler;
  private long demand = Long.MAX_VALUE;
  private long received;
  private long unread;
  /** Number of parts; -1 before the result arrives. */
  private long expected = -1;
  private Throwable failure;
  private boolean isEnded;
  private boolean delivering;

  ResultStreamImpl(ContextInternal context) {
    this.context = context;
  }

  void call(CallImpl made) {
    call = made;
    made.result().onFailure(cause -> {
      synchronized (this) {
        failure = cause;
      }
      deliver();
    });
  }

  /**
   * Adds a part, or drops it if the call was cancelled.
   *
   * @return true if this is the last part, and the result has arrived
   * @throws IllegalArgumentException if the window was full
   */
  boolean arrived(Buffer part) {
    boolean wanted;
    boolean last;
    synchronized (this) {
      received++;
      last = received == expected;
      wanted = !isEnded && failure == null;
      if (wanted) {
        add(part);
      }
    }
    if (wanted) {
      deliver();
    }
    return last;
  }

  /** Read bytes are subtracted before they are reported, so correct workers never exceed the window. */
  private void add(Buffer part) {
    // Also limits the number of parts, since empty parts need memory too.
    if (unread >= WINDOW || parts.size() >= WINDOW) {
      throw new IllegalArgumentException(
        "cannot accept " + part.length() + " more bytes of a result of which " + unread + " bytes in " + parts.size()
          + " parts are unread. The limit is " + WINDOW + " bytes or parts. Let its function wait for the future of each Invocation.write");
    }
    unread += part.length();
    parts.add(part);
  }

  synchronized boolean hasBegun() {
    return received > 0;
  }

  /** Resets the number of parts that an earlier worker reported. */
  synchronized void again() {
    expected = -1;
  }

  /** Returns true if all parts have arrived. */
  boolean expect(long count) {
    boolean all;
    synchronized (this) {
      expected = count;
      all = received >= count;
    }
    deliver();
    return all;
  }

  private void deliver() {
    context.runOnContext(v -> deliverNow());
  }

  private void deliverNow() {
    synchronized (this) {
      if (delivering) {
        return;
      }
      delivering = true;
    }
    long read = 0;
    while (true) {
      Buffer part;
      Handler<Buffer> to;
      synchronized (this) {
        if (isEnded || handler == null || demand == 0 || parts.isEmpty()) {
          delivering = false;
          break;
        }
        part = parts.poll();
        unread -= part.length();
        to = handler;
        demand -= demand == Long.MAX_VALUE ? 0 : 1;
      }
      read += part.length();
      context.dispatch(part, to);
    }
    if (read > 0) {
      long bytes = read;
      call.client.execute(() -> call.read(bytes));
    }
    end();
  }

  private void end() {
    Handler<Void> onEnd = null;
    Handler<Throwable> onFailure = null;
    synchronized (this) {
      if (isEnded || failure == null && (handler == null || expected < 0 || received < expected || !parts.isEmpty())) {
        return;
      }
      isEnded = true;
      parts.clear();
      if (failure == null) {
        onEnd = endHandler;
      } else {
        onFailure = exceptionHandler;
      }
    }
    if (onEnd != null) {
      context.dispatch(null, onEnd);
    }
    if (onFailure != null) {
      context.dispatch(failure, onFailure);
    }
  }

  // The following methods may be called on any thread.

  @Override
  public ResultStream handler(Handler<Buffer> value) {
    synchronized (this) {
      handler = value;
    }
    deliver();
    return this;
  }

  @Override
  public ResultStream exceptionHandler(Handler<Throwable> value) {
    Throwable late;
    synchronized (this) {
      exceptionHandler = value;
      late = isEnded ? failure : null;
    }
    callLate(late != null, late, value);
    return this;
  }

  @Override
  public ResultStream endHandler(Handler<Void> value) {
    boolean ended;
    synchronized (this) {
      endHandler = value;
      ended = isEnded && failure == null;
    }
    callLate(ended, null, value);
    return this;
  }

  private <T> void callLate(boolean late, T what, Handler<T> handler) {
    if (late && handler != null) {
      context.runOnContext(v -> context.dispatch(what, handler));
    }
  }

  @Override
  public ResultStream pause() {
    synchronized (this) {
      demand = 0;
    }
    return this;
  }

  @Override
  public ResultStream resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  public ResultStream fetch(long amount) {
    synchronized (this) {
      demand = amount > Long.MAX_VALUE - demand ? Long.MAX_VALUE : demand + amount;
    }
    deliver();
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
