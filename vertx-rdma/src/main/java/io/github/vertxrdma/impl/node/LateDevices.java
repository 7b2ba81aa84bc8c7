package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.provider.Device;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Searches again for devices that were missing when the node started, such as ports whose link was down. Pauses grow while nothing changes,
 * because a search opens devices. Thread-safe.
 */
final class LateDevices {
  private static final Logger LOG = LoggerFactory.getLogger(LateDevices.class);
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(1_000, 30_000);

  private final Node node;
  private final Set<Consumer<List<Device>>> listeners = new CopyOnWriteArraySet<>();
  /** Pauses between searches. Guarded by this, like the next two fields. */
  private final Attempts searches = new Attempts(PAUSES);
  private long timer = -1;
  private boolean closed;

  LateDevices(Node node) {
    this.node = node;
  }

  /** Adds a listener, called on the node's event loop. */
  void addListener(Consumer<List<Device>> listener) {
    listeners.add(listener);
  }

  void removeListener(Consumer<List<Device>> listener) {
    listeners.remove(listener);
  }

  synchronized void start() {
    if (!closed && node.devices.mayFindMore()) {
      timer = node.context.setTimer(searches.pauseMillis(), id -> search());
    }
  }

  private void search() {
    node.devices.findMore().onSuccess(this::found).onFailure(cause -> LOG.warn("The search for devices that were missing at the "
      + "start failed; it will be repeated", cause))
      .onComplete(done -> start());
  }

  private void found(List<Device> devices) {
    if (!devices.isEmpty()) {
      LOG.info("Devices that were missing at the start can be used now: "
        + devices.stream().map(Device::name).collect(Collectors.joining(", ")));
      node.failover.devicesAdded();
      listeners.forEach(listener -> listener.accept(devices));
    }
  }

  synchronized void close() {
    closed = true;
    node.vertx().cancelTimer(timer);
  }
}
