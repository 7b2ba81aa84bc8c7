package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Handler;
import java.util.concurrent.TimeUnit;

/** Replaces a closed connection, if it has a reconnect handler and this side did not close it. Thread-safe. */
final class Successor {
  private final EndHandlers end;
  private final long begin = System.nanoTime();
  private State state = State.OPEN;
  private Handler<RdmaConnection> handler;
  /** Null for accepted connections. */
  private Reconnection reconnection;

  private enum State {
    OPEN, CLOSED, CONNECTING,
    /** Replaced, failed or cancelled. */
    SETTLED
  }

  Successor(EndHandlers end) {
    this.end = end;
  }

  synchronized void madeBy(Reconnection value) {
    reconnection = value;
  }

  /** Called when this side closes the connection. */
  synchronized void cancel() {
    state = State.SETTLED;
  }

  void closed() {
    synchronized (this) {
      if (state == State.OPEN) {
        state = State.CLOSED;
      }
    }
    connect();
  }

  void handler(Handler<RdmaConnection> value) {
    synchronized (this) {
      handler = value;
    }
    connect();
  }

  private void connect() {
    synchronized (this) {
      if (state != State.CLOSED || handler == null || reconnection == null) {
        return;
      }
      state = State.CONNECTING;
    }
    reconnection.reconnect(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin), this::isWanted).onComplete(this::connected);
  }

  private synchronized boolean isWanted() {
    return state == State.CONNECTING && handler != null;
  }

  /** On the context. */
  private void connected(RdmaConnection connection, Throwable cause) {
    Handler<RdmaConnection> target;
    synchronized (this) {
      target = isWanted() ? handler : null;
      if (state == State.CONNECTING) {
        state = target == null ? State.CLOSED : State.SETTLED;
      }
    }
    if (cause != null) {
      if (target != null) {
        end.failed(cause);
      }
    } else if (target != null) {
      end.context.dispatch(connection, target);
    } else {
      connection.shutdown();
    }
  }
}
