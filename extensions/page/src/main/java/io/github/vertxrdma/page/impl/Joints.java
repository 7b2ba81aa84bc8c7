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
final class Joints {
  private final Map<String, NodeFigures> nodes = new HashMap<>();
  private final Map<String, Joint> joints = new TreeMap<>();

  /** Connections between two nodes over a fabric; {@code a} is the smaller node id. */
  private static final class Joint {
    final String a;
    final String b;
    final String fabric;
    final Set<String> devices = new TreeSet<>();
    final Set<String> services = new TreeSet<>();
    final List<Long> roundTrips = new ArrayList<>();
    final Map<String, Side> sides = new HashMap<>();

    Joint(String a, String b, String fabric) {
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

  Joints(Collection<NodeFigures> nodes) {
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
    Joint joint = joints.computeIfAbsent(key(id, device, connection),
      key -> new Joint(first ? id : connection.peer(), first ? connection.peer() : id, device.fabric()));
    joint.devices.add(device.device());
    joint.services.add(connection.service());
    if (connection.roundTripNanos() >= 0) {
      joint.roundTrips.add(connection.roundTripNanos());
    }
    Side side = joint.sides.computeIfAbsent(id, key -> new Side());
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
      joints.get(key(node.entry().nodeId(), now, some.getFirst())).sides.get(node.entry().nodeId())
        .add(isWhole(before) ? some : first(some, old.size()), isWhole(now) ? old : first(old, some.size()));
    });
  }

  /** Returns the device's connections to other nodes by peer, address, service and direction. */
  private static Map<List<Object>, List<ConnectionStatistics>> alike(NodeFigures node, DeviceStatistics device) {
    return device.connections().stream().filter(c -> isToAnother(node, c))
      .collect(Collectors.groupingBy(c -> List.of(c.peer(), c.address(), c.service(), c.outgoing())));
  }

  private static boolean isWhole(DeviceStatistics device) {
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
    for (Joint joint : joints.values()) {
      Side a = joint.sides.get(joint.a);
      Side b = joint.sides.get(joint.b);
      joint.roundTrips.sort(null);
      all.add(new JsonObject().put("a", joint.a).put("b", joint.b).put("fabric", joint.fabric)
        .put("devices", new JsonArray(List.copyOf(joint.devices))).put("services", new JsonArray(List.copyOf(joint.services)))
        .put("connections", Math.max(a == null ? 0 : a.connections, b == null ? 0 : b.connections))
        .put("there", a != null ? rate(joint.a, a.sent) : rate(joint.b, b.received))
        .put("back", b != null ? rate(joint.b, b.sent) : rate(joint.a, a.received))
        .put("bytesThere", a != null ? rate(joint.a, a.bytesSent) : rate(joint.b, b.bytesReceived))
        .put("bytesBack", b != null ? rate(joint.b, b.bytesSent) : rate(joint.a, a.bytesReceived))
        .put("waiting", (a == null ? 0 : a.waiting) + (b == null ? 0 : b.waiting))
        .put("roundTrip", Picture.percentile(joint.roundTrips, 50)));
    }
    return all;
  }
}
