package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionNotification;
import io.vertx.core.Handler;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hands notifications to the handler where the region's application wants them; the first ones wait until there is a handler. So many may wait
 * for a handler that is slow, and then peers are refused. Thread-safe.
 */
final class NotificationQueue {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationQueue.class);
  private static final int CAPACITY = 1024;
  static final int MOST = 65536;

  private final Caller caller;
  private ArrayDeque<RegionNotification> early = new ArrayDeque<>();
  /** Handed to the handler, which has not run for them. */
  private final AtomicInteger waiting = new AtomicInteger();
  private Handler<RegionNotification> handler;
  private boolean warned;

  NotificationQueue(Caller caller) {
    this.caller = caller;
  }

  synchronized void handler(Handler<RegionNotification> value) {
    handler = value == null ? null : notification -> {
      waiting.decrementAndGet();
      value.handle(notification);
    };
    if (value != null && early != null) {
      ArrayDeque<RegionNotification> first = early;
      early = null;
      first.forEach(this::add);
    }
  }

  /** Whether so many wait for the handler that no other one may come. */
  boolean isFull() {
    return waiting.get() >= MOST;
  }

  synchronized void add(RegionNotification notification) {
    if (handler != null) {
      waiting.incrementAndGet();
      caller.emit(notification, handler);
    } else if (early != null && early.size() < CAPACITY) {
      early.add(notification);
    } else if (early != null && !warned) {
      warned = true;
      LOG.warn("Notifications of node '" + notification.nodeId() + "' are dropped: " + CAPACITY + " came and the region has no handler");
    }
  }
}
