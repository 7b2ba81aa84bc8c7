package io.github.vertxrdma.metrics;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.statistics.AdapterCounter;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.EndedNodes;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.github.vertxrdma.statistics.RefusalCount;
import io.github.vertxrdma.statistics.TcpConnections;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Meters of a node, named {@code vertx.rdma.*}, sampled from {@link Rdma#statistics()} and {@link Rdma#health()}. */
public final class RdmaMeters implements AutoCloseable {
  private final Vertx vertx;
  private final Rdma rdma;
  private final MeterRegistry registry;
  private final Tags tags;
  private final BoundMeters<NodeStatistics> node;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Map<String, DeviceMeters> devices = new HashMap<>();
  /** Meters that samples have registered. Micrometer warns about a second registration. */
  private final Set<String> known = new HashSet<>();
  private final MultiGauge ways;
  private final MultiGauge versions;
  private final MultiGauge ends;
  private volatile NodeStatistics last;
  private volatile boolean healthy;
  private boolean closed;
  private long timer;

  private RdmaMeters(Rdma rdma, MeterRegistry registry, Tags tags) {
    this.vertx = rdma.vertx();
    this.rdma = rdma;
    this.registry = registry;
    this.tags = tags;
    this.node = new BoundMeters<>(registry, tags, () -> last);
    this.ways = MultiGauge.builder("vertx.rdma.ways").tags(tags)
      .description("1 for the device, or TCP, that the event bus or streams currently use to each server of a peer").register(registry);
    this.versions = MultiGauge.builder("vertx.rdma.versions").tags(tags)
      .description("Nodes in the directory by their version of vertx-rdma").register(registry);
    this.ends = MultiGauge.builder("vertx.rdma.node.ended.timestamp").tags(tags).baseUnit("seconds")
      .description("Time since 1970 when a connected node ended or was lost, of the latest 16").register(registry);
  }

  /**
   * Registers the meters and updates them until they are closed.
   *
   * @param period time between two samples
   * @param tags for all meters; must distinguish the nodes of one process
   */
  public static RdmaMeters bind(Rdma rdma, MeterRegistry registry, Duration period, Tags tags) {
    RdmaMeters meters = new RdmaMeters(rdma, registry, tags);
    meters.node();
    meters.sample();
    meters.timer = meters.vertx.setPeriodic(period.toMillis(), id -> meters.sample());
    return meters;
  }

  private void node() {
    node.gauge("vertx.rdma.members", "Nodes in the directory", node -> node.members().size());
    node.gauge("vertx.rdma.regions", "Regions that this node owns", node -> node.regions().size());
    node.gauge("vertx.rdma.regions.bytes", "Bytes of the regions that this node owns",
      node -> node.regions().stream().mapToLong(r -> r.size()).sum());
    node.counter("vertx.rdma.connects.failed", "Failed attempts to connect, each over one fabric", NodeStatistics::connectsFailed);
    // Does not wait for the first statistics, which may fail while the node is healthy.
    node.add(Gauge.builder("vertx.rdma.healthy", () -> healthy ? 1 : 0)
      .description("1 while the last health report was up, otherwise 0").tags(tags).register(registry));
    ended("orderly", EndedNodes::orderly);
    ended("crashed", EndedNodes::crashed);
    ended("unreachable", EndedNodes::unreachable);
  }

  private void ended(String how, ToDoubleFunction<EndedNodes> value) {
    node.counter("vertx.rdma.nodes.ended", "Connected nodes that ended or were lost", Tags.of("how", how),
      now -> value.applyAsDouble(now.ended()));
  }

  /** Registers a counter unless an earlier sample has registered it. */
  private void counter(String name, String description, Tags more, ToDoubleFunction<NodeStatistics> value) {
    if (known.add(name + more)) {
      node.counter(name, description, more, value);
    }
  }

  /** Takes a sample, unless the previous one has not completed. */
  private void sample() {
    if (asking.compareAndSet(false, true)) {
      rdma.health().compose(health -> {
        healthy = health.up();
        return rdma.statistics();
      }).compose(now -> now.adapters().isEmpty() ? Future.succeededFuture(now) : vertx.executeBlocking(now::withAdapterCounters))
        .onComplete((statistics, cause) -> {
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
    now.tcpConnections().stream().map(TcpConnections::reason).forEach(reason -> counter(
      "vertx.rdma.tcp.connections", "Connections of the event bus and of streams to peers that used TCP", Tags.of("reason", reason),
      node -> node.tcpConnections().stream().filter(each -> each.reason().equals(reason)).mapToLong(TcpConnections::count).sum()));
    now.refusals().stream().map(RefusalCount::reason).forEach(reason -> counter("vertx.rdma.refused",
      "Refused connections and requests of peers", Tags.of("reason", reason),
      node -> node.refusals().stream().filter(each -> each.reason().equals(reason)).mapToLong(RefusalCount::count).sum()));
    now.adapters().forEach(adapter -> adapter.counters().stream().map(AdapterCounter::name)
      .forEach(counter -> counter("vertx.rdma.adapter", "Counters of adapters, with the names and units of their drivers",
        Tags.of("device", adapter.device(), "counter", counter), node -> value(node, adapter.device(), counter))));
    Map<String, Long> byVersion = Stream.concat(Stream.of(now.version()), now.peers().stream().map(PeerNode::version))
      .collect(Collectors.groupingBy(version -> version.isEmpty() ? "unknown" : version, Collectors.counting()));
    versions.register(byVersion.entrySet().stream().map(each -> MultiGauge.Row.of(Tags.of("version", each.getKey()), each.getValue()))
      .toList(), true);
    if (known.add("vertx.rdma.info")) {
      node.add(Gauge.builder("vertx.rdma.info", () -> 1).tags(tags).tags("version", now.version(), "id", now.nodeId(), "name", now.name())
        .description("1; the version, the id and the name of this node").register(registry));
    }
    Map<Tags, Double> last = new LinkedHashMap<>();
    now.ended().last().forEach(each -> last.put(Tags.of("peer", words(each.name(), each.nodeId()), "how", each.how()),
      each.timeMillis() / 1e3));
    ends.register(last.entrySet().stream().map(each -> MultiGauge.Row.of(each.getKey(), each.getValue())).toList(), true);
    ways.register(now.ways().stream().map(way -> MultiGauge.Row.of(Tags.of("peer", words(way.name(), way.nodeId()), "address",
      way.address(), "way", way.way(), "reason", way.reason()), 1)).toList(), true);
    devices.forEach((name, device) -> device.update(byDevice.getOrDefault(name, List.of())));
  }

  private static double value(NodeStatistics node, String device, String counter) {
    return node.adapters().stream().filter(adapter -> adapter.device().equals(device)).flatMap(adapter -> adapter.counters().stream())
      .filter(each -> each.name().equals(counter)).mapToLong(AdapterCounter::value).findFirst().orElse(0);
  }

  private static String words(String name, String nodeId) {
    return name.isEmpty() ? nodeId : name;
  }

  @Override
  public synchronized void close() {
    closed = true;
    vertx.cancelTimer(timer);
    node.close();
    ways.register(List.of(), true);
    versions.register(List.of(), true);
    ends.register(List.of(), true);
    devices.values().forEach(DeviceMeters::close);
  }
}
