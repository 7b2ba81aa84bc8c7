package io.github.vertxrdma.metrics;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A node's meters, named {@code vertx.rdma.*}: for each device connections, messages, bytes, one-sided operations, latencies, retries,
 * registered memory and its slots; for the node members, regions, failed connects and refusals. Read from {@link Rdma#statistics()} now and
 * then, so nothing is counted twice and no message pays for it.
 */
public final class RdmaMeters implements AutoCloseable {
  private final Vertx vertx;
  private final Rdma rdma;
  private final MeterRegistry registry;
  private final Tags tags;
  private final BoundMeters<RdmaMeters> node;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Map<String, DeviceMeters> devices = new HashMap<>();
  private volatile NodeStatistics last;
  private boolean closed;
  private long timer;

  private RdmaMeters(Vertx vertx, Rdma rdma, MeterRegistry registry, Tags tags) {
    this.vertx = vertx;
    this.rdma = rdma;
    this.registry = registry;
    this.tags = tags;
    this.node = new BoundMeters<>(registry, tags, this);
  }

  /**
   * Registers the meters and keeps them up to date until it is closed.
   *
   * @param period how often the node is asked
   * @param tags for all meters; they tell nodes of one process apart
   */
  public static RdmaMeters bind(Vertx vertx, Rdma rdma, MeterRegistry registry, Duration period, Tags tags) {
    RdmaMeters meters = new RdmaMeters(vertx, rdma, registry, tags);
    meters.node();
    meters.sample();
    meters.timer = vertx.setPeriodic(period.toMillis(), id -> meters.sample());
    return meters;
  }

  private void node() {
    gauge("vertx.rdma.members", "Nodes in the directory", node -> node.members().size());
    gauge("vertx.rdma.regions", "Regions that this node owns", node -> node.regions().size());
    gauge("vertx.rdma.regions.bytes", "Their bytes", node -> node.regions().stream().mapToLong(r -> r.size()).sum());
    counter("vertx.rdma.connects.failed", "Attempts to connect, over one fabric each, that failed", NodeStatistics::connectsFailed);
    counter("vertx.rdma.refused", "Connections of others that were rejected", NodeStatistics::refused);
  }

  private void gauge(String name, String description, ToDoubleFunction<NodeStatistics> value) {
    node.gauge(name, description, meters -> meters.read(value));
  }

  private void counter(String name, String description, ToDoubleFunction<NodeStatistics> value) {
    node.counter(name, description, meters -> meters.read(value));
  }

  private double read(ToDoubleFunction<NodeStatistics> value) {
    NodeStatistics seen = last;
    return seen == null ? 0 : value.applyAsDouble(seen);
  }

  /** Asks, unless an event loop that does not answer still has the last question. */
  private void sample() {
    if (asking.compareAndSet(false, true)) {
      rdma.statistics().onComplete((statistics, cause) -> {
        asking.set(false);
        if (cause == null) {
          update(statistics);
        }
      });
    }
  }

  private synchronized void update(NodeStatistics now) {
    if (closed) {
      return;
    }
    last = now;
    Map<String, List<DeviceStatistics>> byDevice = now.devices().stream().collect(Collectors.groupingBy(DeviceStatistics::device));
    byDevice.forEach((name, loops) -> devices.computeIfAbsent(name, n -> new DeviceMeters(registry,
      tags.and("device", n, "provider", loops.getFirst().provider()))));
    devices.forEach((name, device) -> device.update(byDevice.getOrDefault(name, List.of())));
  }

  /** Stops asking, and takes the meters out of the registry. */
  @Override
  public synchronized void close() {
    closed = true;
    vertx.cancelTimer(timer);
    node.close();
    devices.values().forEach(DeviceMeters::close);
  }
}
