package io.github.vertxrdma.impl.api;

import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Replaces a closed connection or region, if it has a reconnect handler and this side did not close it. Thread-safe. */
final class Successor<T> {
  private final ContextInternal context;
  private final Consumer<Throwable> failed;
  private final Consumer<T> discard;
  private final long begin = System.nanoTime();
  private State state = State.OPEN;
  private Handler<T> handler;
  private Reconnection<T> reconnection;

  private enum State {
    OPEN, CLOSED, CONNECTING,
    SETTLED
  }

  /**
   * @param failed called on the context when all attempts have failed
   * @param discard closes a result that came too late
   */
  Successor(ContextInternal context, Consumer<Throwable> failed, Consumer<T> discard) {
    this.context = context;
    this.failed = failed;
    this.discard = discard;
  }

  synchronized void madeBy(Reconnection<T> value) {
    reconnection = value;
  }

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

  void handler(Handler<T> value) {
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

  private void connected(T result, Throwable cause) {
    Handler<T> target;
    synchronized (this) {
      target = isWanted() ? handler : null;
      if (state == State.CONNECTING) {
        state = target == null ? State.CLOSED : State.SETTLED;
      }
    }
    if (cause != null) {
      if (target != null) {
        failed.accept(cause);
      }
    } else if (target != null) {
      context.dispatch(result, target);
    } else {
      discard.accept(result);
    }
  }
}
