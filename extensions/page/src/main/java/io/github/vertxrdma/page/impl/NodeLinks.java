package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Traffic;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Connections between each pair of nodes, by fabric. Rates of a direction come from the sending node, or from the receiving node if the
 * sending node does not answer.
 */
final class NodeLinks {
  private final Map<String, NodeFigures> nodes = new HashMap<>();
  private final Map<String, NodePair> links = new TreeMap<>();

  /** Connections between two nodes over a fabric; {@code a} is the smaller node id. */
  private static final class NodePair {
    final String a;
    final String b;
    final String fabric;
    final Set<String> devices = new TreeSet<>();
    final Set<String> services = new TreeSet<>();
    final List<Long> roundTrips = new ArrayList<>();
    final Map<String, Side> sides = new HashMap<>();

    NodePair(String a, String b, String fabric) {
      this.a = a;
      this.b = b;
      this.fabric = fabric;
    }
  }

  private static final class Side {
    int connections;
    long sent;
    long received;
    long bytesSent;
    long bytesReceived;
    long waiting;

    void add(List<ConnectionStatistics> now, List<ConnectionStatistics> before) {
      sent += more(now, before, Traffic::messagesSent);
      received += more(now, before, Traffic::messagesReceived);
      bytesSent += more(now, before, Traffic::bytesSent);
      bytesReceived += more(now, before, Traffic::bytesReceived);
    }

    private static long more(List<ConnectionStatistics> now, List<ConnectionStatistics> before, ToLongFunction<Traffic> count) {
      return Math.max(0, sum(now, count) - sum(before, count));
    }

    private static long sum(List<ConnectionStatistics> some, ToLongFunction<Traffic> count) {
      return some.stream().map(ConnectionStatistics::traffic).mapToLong(count).sum();
    }
  }

  NodeLinks(Collection<NodeFigures> nodes) {
    nodes.forEach(node -> this.nodes.put(node.entry().nodeId(), node));
    for (NodeFigures node : nodes) {
      if (node.isUp()) {
        for (DeviceStatistics device : node.now().devices()) {
          device.connections().stream().filter(c -> isToAnother(node, c)).forEach(c -> add(node.entry().nodeId(), device, c));
          addTraffic(node, device, node.before(device));
        }
      }
    }
  }

  private static boolean isToAnother(NodeFigures node, ConnectionStatistics connection) {
    return !connection.peer().isEmpty() && !connection.peer().equals(node.entry().nodeId());
  }

  private static String key(String id, DeviceStatistics device, ConnectionStatistics connection) {
    boolean first = id.compareTo(connection.peer()) < 0;
    return (first ? id + ' ' + connection.peer() : connection.peer() + ' ' + id) + ' ' + device.fabric();
  }

  private void add(String id, DeviceStatistics device, ConnectionStatistics connection) {
    boolean first = id.compareTo(connection.peer()) < 0;
    NodePair link = links.computeIfAbsent(key(id, device, connection),
      key -> new NodePair(first ? id : connection.peer(), first ? connection.peer() : id, device.fabric()));
    link.devices.add(device.device());
    link.services.add(connection.service());
    if (connection.roundTripNanos() >= 0) {
      link.roundTrips.add(connection.roundTripNanos());
    }
    Side side = link.sides.computeIfAbsent(id, key -> new Side());
    side.connections++;
    side.waiting += connection.pendingBytes();
  }

  /**
   * Adds the traffic of a device since the previous answer. A node with many connections omits some from its answer. So a connection that
   * is missing there is new only if that answer was complete.
   *
   * @param before null if the device was not in use, or there is no previous answer
   */
  private void addTraffic(NodeFigures node, DeviceStatistics now, DeviceStatistics before) {
    Map<List<Object>, List<ConnectionStatistics>> earlier = before == null ? Map.of() : alike(node, before);
    alike(node, now).forEach((key, some) -> {
      List<ConnectionStatistics> old = earlier.getOrDefault(key, List.of());
      links.get(key(node.entry().nodeId(), now, some.getFirst())).sides.get(node.entry().nodeId())
        .add(isComplete(before) ? some : first(some, old.size()), isComplete(now) ? old : first(old, some.size()));
    });
  }

  /** Returns the device's connections to other nodes by peer, address, service and direction. */
  private static Map<List<Object>, List<ConnectionStatistics>> alike(NodeFigures node, DeviceStatistics device) {
    return device.connections().stream().filter(c -> isToAnother(node, c))
      .collect(Collectors.groupingBy(c -> List.of(c.peer(), c.address(), c.service(), c.outgoing())));
  }

  private static boolean isComplete(DeviceStatistics device) {
    return device == null || device.connections().size() == device.connectionCount();
  }

  private static List<ConnectionStatistics> first(List<ConnectionStatistics> some, int most) {
    return some.subList(0, Math.min(some.size(), most));
  }

  private double rate(String id, long difference) {
    return Picture.round(nodes.get(id).perSecond(difference));
  }

  List<JsonObject> json() {
    List<JsonObject> all = new ArrayList<>();
    for (NodePair link : links.values()) {
      Side a = link.sides.get(link.a);
      Side b = link.sides.get(link.b);
      link.roundTrips.sort(null);
      all.add(new JsonObject().put("a", link.a).put("b", link.b).put("fabric", link.fabric)
        .put("devices", new JsonArray(List.copyOf(link.devices))).put("services", new JsonArray(List.copyOf(link.services)))
        .put("connections", Math.max(a == null ? 0 : a.connections, b == null ? 0 : b.connections))
        .put("there", a != null ? rate(link.a, a.sent) : rate(link.b, b.received))
        .put("back", b != null ? rate(link.b, b.sent) : rate(link.a, a.received))
        .put("bytesThere", a != null ? rate(link.a, a.bytesSent) : rate(link.b, b.bytesReceived))
        .put("bytesBack", b != null ? rate(link.b, b.bytesSent) : rate(link.a, a.bytesReceived))
        .put("waiting", (a == null ? 0 : a.waiting) + (b == null ? 0 : b.waiting))
        .put("roundTrip", Picture.percentile(link.roundTrips, 50)));
    }
    return all;
  }
}
