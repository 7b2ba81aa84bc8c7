package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionNotification;
import io.vertx.core.Handler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayDeque;

/** Hands notifications to the handler where the region's application wants them; the first ones wait until there is a handler. Thread-safe. */
final class NotificationQueue {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationQueue.class);
  private static final int CAPACITY = 1024;

  private final Caller caller;
  private ArrayDeque<RegionNotification> early = new ArrayDeque<>();
  private Handler<RegionNotification> handler;
  private boolean warned;

  NotificationQueue(Caller caller) {
    this.caller = caller;
  }

  synchronized void handler(Handler<RegionNotification> value) {
    handler = value;
    if (value != null && early != null) {
      ArrayDeque<RegionNotification> waiting = early;
      early = null;
      waiting.forEach(n -> caller.emit(n, value));
    }
  }

  synchronized void add(RegionNotification notification) {
    if (handler != null) {
      caller.emit(notification, handler);
    } else if (early != null && early.size() < CAPACITY) {
      early.add(notification);
    } else if (early != null && !warned) {
      warned = true;
      LOG.warn("Notifications of node '" + notification.nodeId() + "' are dropped: " + CAPACITY + " came and the region has no handler");
    }
  }
}
