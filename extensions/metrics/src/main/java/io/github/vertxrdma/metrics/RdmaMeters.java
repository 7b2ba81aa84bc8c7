package io.github.vertxrdma.metrics;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.TcpConnections;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Meters of a node, named {@code vertx.rdma.*}: for each device connections, messages, bytes, one-sided operations, latencies, retries,
 * registered memory and its slots; for the node members, regions, failed connects, refusals, the fabric to each peer, and connections by
 * TCP with the reason. They are sampled from {@link Rdma#statistics()}, so nothing is counted twice and they cost messages nothing.
 */
public final class RdmaMeters implements AutoCloseable {
  private final Vertx vertx;
  private final Rdma rdma;
  private final MeterRegistry registry;
  private final Tags tags;
  private final BoundMeters<RdmaMeters> node;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Map<String, DeviceMeters> devices = new HashMap<>();
  /** Reasons for TCP that have a counter. */
  private final Set<String> reasons = new HashSet<>();
  private final MultiGauge ways;
  private volatile NodeStatistics last;
  private boolean closed;
  private long timer;

  private RdmaMeters(Rdma rdma, MeterRegistry registry, Tags tags) {
    this.vertx = rdma.vertx();
    this.rdma = rdma;
    this.registry = registry;
    this.tags = tags;
    this.node = new BoundMeters<>(registry, tags, this);
    this.ways = MultiGauge.builder("vertx.rdma.ways").tags(tags)
      .description("1 for the present way of the event bus or of streams to each server of a peer").register(registry);
  }

  /**
   * Registers the meters and keeps them up to date until they are closed.
   *
   * @param period time between two samples
   * @param tags for all meters; they distinguish nodes of one process
   */
  public static RdmaMeters bind(Rdma rdma, MeterRegistry registry, Duration period, Tags tags) {
    RdmaMeters meters = new RdmaMeters(rdma, registry, tags);
    meters.node();
    meters.sample();
    meters.timer = meters.vertx.setPeriodic(period.toMillis(), id -> meters.sample());
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

  /** Takes a sample, unless an event loop has not answered the last one. */
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
    now.tcpConnections().stream().map(TcpConnections::reason).filter(reasons::add).forEach(this::byTcp);
    ways.register(now.ways().stream().map(way -> MultiGauge.Row.of(Tags.of("peer", way.name().isEmpty() ? way.nodeId() : way.name(),
      "address", way.address(), "way", way.way(), "reason", way.reason()), 1)).toList(), true);
    devices.forEach((name, device) -> device.update(byDevice.getOrDefault(name, List.of())));
  }

  private void byTcp(String reason) {
    node.add(FunctionCounter.builder("vertx.rdma.tcp.connections", this,
      meters -> meters.read(seen -> seen.tcpConnections().stream().filter(each -> each.reason().equals(reason))
        .mapToLong(TcpConnections::count).sum()))
      .tags(tags).tag("reason", reason)
      .description("Connections of the event bus and of streams to peers that used TCP").register(registry));
  }

  /** Stops sampling, and removes the meters from the registry. */
  @Override
  public synchronized void close() {
    closed = true;
    vertx.cancelTimer(timer);
    node.close();
    ways.register(List.of(), true);
    devices.values().forEach(DeviceMeters::close);
  }
}
