package io.github.vertxrdma.impl.calls;

import io.vertx.core.eventbus.DeliveryOptions;

final class Timeouts {
  private Timeouts() {
  }

  /** Returns milliseconds, at least 1. */
  static int of(DeliveryOptions options) {
    return (int) Math.min(Math.max(options.getSendTimeout(), 1), Integer.MAX_VALUE);
  }
}
