package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.FabricRoutes.Target;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/**
 * Asks {@link FabricRoutes} for a route after each change, and when an answer expires, until a route is taken. Confined to an event loop,
 * except {@link #dial}.
 */
final class RouteWatch<T> {
  private final Future<FabricRoutes> starting;
  private final Target target;
  private final EventLoop loop;
  private final boolean retries;
  private final BiFunction<FabricRoutes, Route, Future<T>> taker;
  private final Promise<T> taken = Promise.promise();
  private final Runnable listener = this::changed;
  private final AtomicBoolean due = new AtomicBoolean();
  private FabricRoutes routes;
  private ScheduledFuture<?> timer;
  private boolean watching;
  private boolean stopped;

  /**
   * @param retries true to watch on if a taken route fails
   * @param taker takes a route, or returns null to wait for another
   */
  RouteWatch(Future<FabricRoutes> starting, Target target, EventLoop loop, boolean retries,
    BiFunction<FabricRoutes, Route, Future<T>> taker) {
    this.starting = starting;
    this.target = target;
    this.loop = loop;
    this.retries = retries;
    this.taker = taker;
  }

  Future<T> dial() {
    starting.onSuccess(known -> LoopCall.run(loop, () -> watch(known)));
    return taken.future();
  }

  private void watch(FabricRoutes known) {
    if (!stopped) {
      routes = known;
      watching = true;
      routes.addListener(listener);
      ask();
    }
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
    if (!watching) {
      return;
    }
    stopTimer();
    try {
      Route route = routes.route(target);
      Future<T> result = taker.apply(routes, route);
      if (result != null) {
        unwatch();
        result.onComplete(this::ended);
        return;
      }
      long nanos = routes.validNanos(route);
      if (nanos < Long.MAX_VALUE) {
        timer = loop.schedule(this::ask, nanos, TimeUnit.NANOSECONDS);
      }
    } catch (RuntimeException e) {
      unwatch();
      taken.tryFail(e);
    }
  }

  private void ended(T made, Throwable cause) {
    if (cause != null && retries) {
      LoopCall.execute(loop, () -> watch(routes));
    } else {
      taken.complete(made, cause);
    }
  }

  private void unwatch() {
    watching = false;
    stopTimer();
    routes.removeListener(listener);
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  void stop() {
    stopped = true;
    if (watching) {
      unwatch();
    }
  }
}
