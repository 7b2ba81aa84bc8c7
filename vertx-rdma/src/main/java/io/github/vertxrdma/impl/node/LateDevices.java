package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.provider.Device;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Looks again for devices that were missing when the node started, such as ports whose link was down. Searches are rare if nothing changes,
 * since each opens devices. Thread-safe.
 */
final class LateDevices {
  private static final Logger LOG = LoggerFactory.getLogger(LateDevices.class);
  private static final long FIRST_MILLIS = 1_000;
  private static final long MOST_MILLIS = 30_000;

  private final Node node;
  private final Set<Consumer<List<Device>>> listeners = new CopyOnWriteArraySet<>();
  /** Guarded by this, as the next. */
  private long timer = -1;
  private boolean closed;

  LateDevices(Node node) {
    this.node = node;
  }

  /** Adds a listener, which is called on the node's event loop with new devices. */
  void addListener(Consumer<List<Device>> listener) {
    listeners.add(listener);
  }

  void removeListener(Consumer<List<Device>> listener) {
    listeners.remove(listener);
  }

  void start() {
    searchIn(FIRST_MILLIS);
  }

  private synchronized void searchIn(long millis) {
    if (!closed && node.devices.mayFindMore()) {
      timer = node.context.setTimer(millis, id -> search(millis));
    }
  }

  private void search(long millis) {
    node.devices.findMore().onSuccess(this::found).onFailure(cause -> LOG.warn("The search for more devices failed", cause))
      .onComplete(done -> searchIn(Math.min(2 * millis, MOST_MILLIS)));
  }

  private void found(List<Device> devices) {
    if (!devices.isEmpty()) {
      LOG.info("Devices that were missing can be used now: " + devices.stream().map(Device::name).collect(Collectors.joining(", ")));
      node.failover.devicesAdded();
      listeners.forEach(listener -> listener.accept(devices));
    }
  }

  synchronized void close() {
    closed = true;
    node.vertx().cancelTimer(timer);
  }
}
