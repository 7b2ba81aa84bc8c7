package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.region.RegionSuccessor;
import io.github.vertxrdma.impl.region.RemoteRegionInternal;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;

final class RegionReopening implements RegionSuccessor {
  private final Successor<RemoteRegion> successor;
  private volatile Handler<Throwable> exceptionHandler = cause -> {};

  private RegionReopening(ContextInternal context) {
    successor = new Successor<>(context, cause -> context.dispatch(cause, exceptionHandler), RemoteRegion::close);
  }

  static void of(RemoteRegion opened, ContextInternal context, Reconnection<RemoteRegion> reconnection, Runnable closed) {
    RemoteRegionInternal region = (RemoteRegionInternal) opened;
    RegionReopening reopening = new RegionReopening(context);
    reopening.successor.madeBy(reconnection);
    region.successor(reopening);
    region.whenClosed(() -> {
      closed.run();
      reopening.successor.closed();
    });
  }

  @Override
  public void handler(Handler<RemoteRegion> handler) {
    successor.handler(handler);
  }

  @Override
  public void exceptionHandler(Handler<Throwable> handler) {
    exceptionHandler = handler == null ? cause -> {} : handler;
  }

  @Override
  public void cancel() {
    successor.cancel();
  }
}
