package io.github.vertxrdma.impl.region;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Connects again after a connection or region was closed, if a reconnect handler is set and this side did not close it. Thread-safe. */
public final class Successor<T> {
  private final ContextInternal context;
  private final Consumer<T> discard;
  private final long begin = System.nanoTime();
  private State state = State.OPEN;
  private Handler<T> handler;
  private volatile Handler<Throwable> exceptionHandler;
  private Reconnect<T> reconnection;

  private enum State {
    OPEN, CLOSED, CONNECTING,
    SETTLED
  }

  public interface Reconnect<T> {

    /**
     * Connects again, later if the previous connection was short-lived. {@code wanted} returns false when the result is no longer needed.
     */
    Future<T> reconnect(long livedMillis, BooleanSupplier wanted);
  }

  /** @param discard closes a result that is no longer needed */
  public Successor(ContextInternal context, Consumer<T> discard) {
    this.context = context;
    this.discard = discard;
  }

  /** Returns an instance that never reconnects, for a granted region. */
  static <T> Successor<T> none() {
    Successor<T> none = new Successor<>(null, null);
    none.cancel();
    return none;
  }

  public synchronized void madeBy(Reconnect<T> value) {
    reconnection = value;
  }

  public synchronized void cancel() {
    state = State.SETTLED;
  }

  public void closed() {
    synchronized (this) {
      if (state == State.OPEN) {
        state = State.CLOSED;
      }
    }
    connect();
  }

  public void handler(Handler<T> value) {
    synchronized (this) {
      handler = value;
    }
    connect();
  }

  /** Sets a handler that is called on the context when all attempts failed. */
  public void exceptionHandler(Handler<Throwable> value) {
    exceptionHandler = value;
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
    Handler<Throwable> onFailure = exceptionHandler;
    if (cause != null) {
      if (target != null && onFailure != null) {
        context.dispatch(cause, onFailure);
      }
    } else if (target != null) {
      context.dispatch(result, target);
    } else {
      discard.accept(result);
    }
  }
}
