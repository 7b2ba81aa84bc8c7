package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import java.util.function.Supplier;

/** Remote region of {@link Accounts}, opened on first use, and again after a loss. */
final class OpenAccounts {
  private final Supplier<Future<RemoteRegion>> opener;
  private Future<RemoteRegion> region;

  /** @param opener completes on the context */
  OpenAccounts(Supplier<Future<RemoteRegion>> opener) {
    this.opener = opener;
  }

  Future<RemoteRegion> region() {
    if (region != null) {
      return region;
    }
    Future<RemoteRegion> opening = opener.get();
    region = opening;
    opening.onComplete((opened, cause) -> {
      if (cause != null) {
        forget(opening);
      } else {
        opened.closeHandler(end -> forget(opening));
      }
    });
    return opening;
  }

  private void forget(Future<RemoteRegion> lost) {
    if (region == lost) {
      region = null;
    }
  }

  Future<Void> close() {
    return region == null ? Future.succeededFuture() : region.compose(RemoteRegion::close).otherwiseEmpty();
  }
}
