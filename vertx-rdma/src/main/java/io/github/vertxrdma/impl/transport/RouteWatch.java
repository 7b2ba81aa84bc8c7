package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Asks {@link FabricRoutes} for a route after each change, and when an answer expires, until one is taken. Confined to an event loop. */
final class RouteWatch<T> {
  private final FabricRoutes routes;
  private final Target target;
  private final EventLoop loop;
  private final Function<Route, Future<T>> taker;
  private final Promise<T> taken = Promise.promise();
  private final Runnable listener = this::changed;
  private final AtomicBoolean due = new AtomicBoolean();
  private ScheduledFuture<?> timer;
  private boolean closed;

  /** @param taker takes a route, or returns null to wait for another */
  RouteWatch(FabricRoutes routes, Target target, EventLoop loop, Function<Route, Future<T>> taker) {
    this.routes = routes;
    this.target = target;
    this.loop = loop;
    this.taker = taker;
  }

  Future<T> start() {
    ask();
    if (!closed) {
      routes.addListener(listener);
      // Routes may have changed before the listener was added.
      ask();
    }
    return taken.future();
  }

  private void changed() {
    if (due.compareAndSet(false, true)) {
      LoopCall.execute(loop, () -> {
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
