package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionNotification;
import io.vertx.core.Handler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes notifications to a handler on the application's context. Until a handler is set, {@value #CAPACITY} notifications wait, and more
 * are dropped. Thread-safe.
 */
final class NotificationQueue {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationQueue.class);
  private static final int CAPACITY = 1024;
  static final int MAX_WAITING = 65536;

  private final Caller caller;
  private ArrayDeque<RegionNotification> early = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Handler<RegionNotification> handler;
  private boolean warned;

  NotificationQueue(Caller caller) {
    this.caller = caller;
  }

  void handler(Handler<RegionNotification> value) {
    Handler<RegionNotification> counted = value == null ? null : notification -> {
      waiting.decrementAndGet();
      value.handle(notification);
    };
    RegionNotification next;
    while ((next = nextWaiting(counted)) != null) {
      deliver(next, counted);
    }
  }

  private synchronized RegionNotification nextWaiting(Handler<RegionNotification> counted) {
    if (early != null && counted != null && !early.isEmpty()) {
      return early.poll();
    }
    if (counted != null) {
      early = null;
    }
    handler = counted;
    return null;
  }

  private void deliver(RegionNotification notification, Handler<RegionNotification> to) {
    waiting.incrementAndGet();
    caller.emit(notification, to);
  }

  boolean isFull() {
    return waiting.get() >= MAX_WAITING;
  }

  void add(RegionNotification notification) {
    Handler<RegionNotification> to = handler;
    if (to == null) {
      to = keep(notification);
    }
    if (to != null) {
      deliver(notification, to);
    }
  }

  private synchronized Handler<RegionNotification> keep(RegionNotification notification) {
    if (handler == null && early != null) {
      if (early.size() < CAPACITY) {
        early.add(notification);
      } else if (!warned) {
        warned = true;
        LOG.warn("Notifications of node '" + notification.nodeId() + "' are dropped: " + CAPACITY + " are waiting, and the region has "
          + "no notification handler. Set one by MemoryRegion.notificationHandler");
      }
    }
    return handler;
  }
}
