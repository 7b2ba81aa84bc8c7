package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaConnection;
import io.vertx.core.Handler;
import java.util.concurrent.TimeUnit;

/** Makes the connection that follows one that is over, if that has a handler for it and this side has not ended it. Thread-safe. */
final class Successor {
  private final EndHandlers end;
  private final long begin = System.nanoTime();
  private State state = State.OPEN;
  private Handler<RdmaConnection> handler;
  /** Null for a connection that the other side made. */
  private Reconnection reconnection;

  private enum State {
    OPEN, OVER, CONNECTING,
    /** Made, or given up, or not wanted by this side. */
    SETTLED
  }

  /** @param end hears why none was made */
  Successor(EndHandlers end) {
    this.end = end;
  }

  synchronized void madeBy(Reconnection value) {
    reconnection = value;
  }

  /** This side ends the connection, or needs none any more. */
  synchronized void none() {
    state = State.SETTLED;
  }

  /** The connection is over. */
  void over() {
    synchronized (this) {
      if (state == State.OPEN) {
        state = State.OVER;
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
      if (state != State.OVER || handler == null || reconnection == null) {
        return;
      }
      state = State.CONNECTING;
    }
    reconnection.anew(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin), this::isWanted).onComplete(this::connected);
  }

  private synchronized boolean isWanted() {
    return state == State.CONNECTING && handler != null;
  }

  /** On the context. */
  private void connected(RdmaConnection connection, Throwable cause) {
    Handler<RdmaConnection> hears;
    synchronized (this) {
      hears = isWanted() ? handler : null;
      if (state == State.CONNECTING) {
        state = hears == null ? State.OVER : State.SETTLED;
      }
    }
    if (cause != null) {
      if (hears != null) {
        end.failed(cause);
      }
    } else if (hears != null) {
      end.context.dispatch(connection, hears);
    } else {
      connection.shutdown();
    }
  }
}
