package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.RegionStatistics;
import io.github.vertxrdma.statistics.Traffic;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** State of the cluster at one time, as JSON for the page. */
final class Picture {
  private static final int MAX_REGIONS = 1_000;

  private final FigureSource.Entries entries;
  private final Collection<NodeFigures> nodes;
  private final ChartHistory history;
  private final long periodMillis;

  Picture(FigureSource.Entries entries, Map<String, NodeFigures> nodes, ChartHistory history, long periodMillis) {
    this.entries = entries;
    this.nodes = new TreeMap<>(nodes).values();
    this.history = history;
    this.periodMillis = periodMillis;
  }

  JsonObject json() {
    List<JsonObject> links = new NodeLinks(nodes).json();
    JsonObject picture = new JsonObject().put("time", System.currentTimeMillis()).put("period", periodMillis)
      .put("directory", entries.directory()).put("self", entries.self())
      .put("nodes", new JsonArray(nodes.stream().map(this::node).toList()))
      .put("links", new JsonArray(new ArrayList<>(links)))
      .put("services", services());
    putRegions(picture);
    history.add(point());
    history.put(picture);
    return picture;
  }

  private JsonObject node(NodeFigures node) {
    JsonObject json = new JsonObject().put("id", node.entry().nodeId()).put("name", node.entry().name())
      .put("host", node.entry().process().host())
      .put("pid", node.entry().process().pid()).put("version", node.entry().version())
      .put("gone", node.isGone()).put("failure", node.failure()).put("up", node.isUp());
    NodeStatistics now = node.now();
    if (now == null) {
      return json;
    }
    json.put("age", node.ageMillis())
      .put("connections", sum(now, DeviceStatistics::connectionCount))
      .put("messages", round(node.rate(d -> d.traffic().messagesSent())))
      .put("received", round(node.rate(d -> d.traffic().messagesReceived())))
      .put("bytes", round(node.rate(d -> d.traffic().bytesSent()))).put("bytesIn", round(node.rate(d -> d.traffic().bytesReceived())))
      .put("oneSided", round(node.rate(Picture::oneSided)))
      .put("registered", sum(now, DeviceStatistics::registeredBytes)).put("lost", sum(now, DeviceStatistics::lost))
      .put("waiting", sum(now, DeviceStatistics::pendingBytes))
      .put("devices", new JsonArray(now.devices().stream().map(DeviceStatistics::device).distinct().sorted().toList()))
      .put("requests", latencies(node.latest(DeviceStatistics::requests)))
      .put("ways", new JsonArray(now.ways().stream().map(Picture::way).toList()))
      .put("errors", new JsonArray(now.errors()));
    return json;
  }

  private static JsonObject way(PeerWay way) {
    return new JsonObject().put("nodeId", way.nodeId()).put("name", way.name()).put("address", way.address()).put("way", way.way())
      .put("reason", way.reason()).put("why", way.why());
  }

  private static long sum(NodeStatistics node, ToLongFunction<DeviceStatistics> number) {
    return node.devices().stream().mapToLong(number).sum();
  }

  private static long oneSided(DeviceStatistics device) {
    Traffic traffic = device.traffic();
    return traffic.reads() + traffic.writes() + traffic.atomics();
  }

  private static long oneSidedBytes(DeviceStatistics device) {
    return device.traffic().bytesRead() + device.traffic().bytesWritten();
  }

  private static Object latencies(Latencies some) {
    return some.count() == 0 ? null : new JsonArray(List.of(some.percentile(50), some.percentile(99), some.maxNanos()));
  }

  private JsonArray services() {
    Map<String, List<String>> byName = new TreeMap<>();
    for (ServiceEntry service : entries.services()) {
      byName.computeIfAbsent(service.name(), name -> new ArrayList<>()).add(service.nodeId());
    }
    JsonArray all = new JsonArray();
    byName.forEach((name, on) -> all.add(new JsonObject().put("name", name).put("nodes", new JsonArray(on.stream().sorted().toList()))));
    return all;
  }

  /** Adds at most {@code MAX_REGIONS} regions from the directory and the nodes' statistics, and the total number. */
  private void putRegions(JsonObject picture) {
    Map<String, Map<String, Set<String>>> holders = new HashMap<>();
    nodes.stream().filter(node -> node.now() != null).forEach(node -> holders.put(node.entry().nodeId(), holders(node.now())));
    JsonArray all = new JsonArray();
    Set<String> listed = new HashSet<>();
    for (RegionEntry region : entries.regions()) {
      listed.add(region.name());
      if (all.size() < MAX_REGIONS) {
        JsonArray access = new JsonArray();
        region.access().stream().sorted().forEach(right -> access.add(right.name().toLowerCase(java.util.Locale.ROOT)));
        all.add(region(region.name(), region.nodeId(), region.size(), access,
          holders.getOrDefault(region.nodeId(), Map.of()).getOrDefault(region.name(), Set.of())));
      }
    }
    int count = entries.regions().size();
    for (NodeFigures node : nodes) {
      if (node.now() != null && !node.isGone()) {
        for (RegionStatistics region : node.now().regions()) {
          if (!listed.contains(region.name())) {
            count++;
            if (all.size() < MAX_REGIONS) {
              all.add(region(region.name(), node.entry().nodeId(), region.size(), new JsonArray(), region.holders()));
            }
          }
        }
      }
    }
    picture.put("regions", all).put("regionCount", count);
  }

  private static Map<String, Set<String>> holders(NodeStatistics node) {
    Map<String, Set<String>> holders = new HashMap<>();
    for (RegionStatistics region : node.regions()) {
      if (!region.holders().isEmpty()) {
        holders.computeIfAbsent(region.name(), name -> new LinkedHashSet<>()).addAll(region.holders());
      }
    }
    return holders;
  }

  private static JsonObject region(String name, String node, long size, JsonArray access, Collection<String> holders) {
    return new JsonObject().put("name", name).put("node", node).put("size", size).put("access", access)
      .put("holders", new JsonArray(List.copyOf(holders)));
  }

  /**
   * Returns a chart point of the cluster: time; messages, message bytes, one-sided operations and their bytes per second; p50 and p99 in ns
   * of requests, one-sided operations and round trips.
   */
  private List<Object> point() {
    double messages = 0;
    double bytes = 0;
    double operations = 0;
    double operationBytes = 0;
    Latencies requests = Latencies.NONE;
    Latencies oneSided = Latencies.NONE;
    List<Long> roundTrips = new ArrayList<>();
    for (NodeFigures node : nodes) {
      messages += node.rate(d -> d.traffic().messagesSent());
      bytes += node.rate(d -> d.traffic().bytesSent());
      operations += node.rate(Picture::oneSided);
      operationBytes += node.rate(Picture::oneSidedBytes);
      requests = requests.and(node.latest(DeviceStatistics::requests));
      oneSided = oneSided.and(node.latest(DeviceStatistics::oneSided));
      if (node.isUp()) {
        node.now().devices().forEach(d -> d.connections().stream().map(ConnectionStatistics::roundTripNanos).filter(n -> n >= 0)
          .forEach(roundTrips::add));
      }
    }
    roundTrips.sort(null);
    return Arrays.asList(System.currentTimeMillis(), round(messages), round(bytes), round(operations), round(operationBytes),
      percentile(requests, 50), percentile(requests, 99), percentile(oneSided, 50), percentile(oneSided, 99),
      percentile(roundTrips, 50), percentile(roundTrips, 99));
  }

  private static Long percentile(Latencies some, double percent) {
    return some.count() == 0 ? null : (Long) some.percentile(percent);
  }

  static Long percentile(List<Long> sorted, double percent) {
    return sorted.isEmpty() ? null : sorted.get((int) Math.max(0, Math.ceil(percent / 100 * sorted.size()) - 1));
  }

  static double round(double value) {
    return value < 100 ? Math.round(value * 10) / 10.0 : Math.round(value);
  }
}
