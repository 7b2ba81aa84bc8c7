package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionNotification;
import io.vertx.core.Handler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hands notifications to the handler where the region's application wants them; the first ones wait until there is a handler. So many may
 * wait for a handler that is slow, and then peers are refused. Thread-safe.
 */
final class NotificationQueue {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationQueue.class);
  private static final int CAPACITY = 1024;
  static final int MOST = 65536;

  private final Caller caller;
  private ArrayDeque<RegionNotification> early = new ArrayDeque<>();
  /** Handed to the handler, which has not run for them. */
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
    while ((next = firstBefore(counted)) != null) {
      hand(next, counted);
    }
  }

  /** The first of those that wait for a handler; null if none does any more, and what comes from now on goes to this one. */
  private synchronized RegionNotification firstBefore(Handler<RegionNotification> counted) {
    if (early != null && counted != null && !early.isEmpty()) {
      return early.poll();
    }
    if (counted != null) {
      early = null;
    }
    handler = counted;
    return null;
  }

  /** Gives it to the handler; not under the lock, on which the loops of other connections would wait for it. */
  private void hand(RegionNotification notification, Handler<RegionNotification> to) {
    waiting.incrementAndGet();
    caller.emit(notification, to);
  }

  /** Whether so many wait for the handler that no other one may come. */
  boolean isFull() {
    return waiting.get() >= MOST;
  }

  void add(RegionNotification notification) {
    Handler<RegionNotification> to = handler;
    if (to == null) {
      to = keep(notification);
    }
    if (to != null) {
      hand(notification, to);
    }
  }

  /** Keeps it until there is a handler. @return the handler, if one has come meanwhile */
  private synchronized Handler<RegionNotification> keep(RegionNotification notification) {
    if (handler == null && early != null) {
      if (early.size() < CAPACITY) {
        early.add(notification);
      } else if (!warned) {
        warned = true;
        LOG.warn("Notifications of node '" + notification.nodeId() + "' are dropped: " + CAPACITY + " came and the region has no handler");
      }
    }
    return handler;
  }
}
