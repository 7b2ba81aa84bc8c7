package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Asks {@link FabricRoutes} for the way of a connection until there is one to take. It asks again when the directory or the cluster has
 * changed, and when the time is over for which the answer holds. Nothing runs in between. Confined to an event loop.
 *
 * @param <T> result of taking a way
 */
final class RouteWatch<T> {
  private final FabricRoutes routes;
  private final Target target;
  private final EventLoop loop;
  private final Function<Route, Future<T>> taker;
  private final Promise<T> taken = Promise.promise();
  private final Runnable listener = this::changed;
  /** Whether a task that asks again has not begun. */
  private final AtomicBoolean due = new AtomicBoolean();
  private ScheduledFuture<?> timer;
  private boolean closed;

  /** @param taker takes a way, on the loop. Returns null if it waits for another one */
  RouteWatch(FabricRoutes routes, Target target, EventLoop loop, Function<Route, Future<T>> taker) {
    this.routes = routes;
    this.target = target;
    this.loop = loop;
    this.taker = taker;
  }

  /** Asks for the first time. Returns the result of the way that is taken. */
  Future<T> start() {
    ask();
    if (!closed) {
      routes.addListener(listener);
      // A change before that was not notified.
      ask();
    }
    return taken.future();
  }

  /** Called on any thread. Changes that come together are one. */
  private void changed() {
    if (due.compareAndSet(false, true)) {
      EventLoopHost.tryExecute(loop, () -> {
        due.set(false);
        ask();
      });
    }
  }

  private void ask() {
    if (closed) {
      return;
    }
    stopTimer();
    try {
      Route route = routes.route(target);
      Future<T> result = taker.apply(route);
      if (result != null) {
        close();
        result.onComplete(taken);
        return;
      }
      long nanos = routes.validNanos(route);
      if (nanos < Long.MAX_VALUE) {
        timer = loop.schedule(this::ask, nanos, TimeUnit.NANOSECONDS);
      }
    } catch (RuntimeException e) {
      close();
      taken.tryFail(e);
    }
  }

  /** Ends the questions. Idempotent. */
  void close() {
    closed = true;
    stopTimer();
    routes.removeListener(listener);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }
}
