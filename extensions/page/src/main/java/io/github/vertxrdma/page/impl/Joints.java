package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
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

/**
 * What joins each pair of nodes: the connections between them by fabric, both ways, as the nodes at both ends tell. Each way's figures are
 * those of its sender, or of the receiver where the sender does not answer.
 */
final class Joints {
  private final Map<String, NodeFigures> nodes = new HashMap<>();
  private final Map<String, Joint> joints = new TreeMap<>();

  /** One fabric between two nodes; {@code a} is the one of the smaller id. */
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

  /** The figures of one end. */
  private static final class Side {
    int connections;
    long sent;
    long received;
    long bytesSent;
    long bytesReceived;
    long waiting;

    void add(ConnectionStatistics connection, int sign) {
      Traffic traffic = connection.traffic();
      sent += sign * traffic.messagesSent();
      received += sign * traffic.messagesReceived();
      bytesSent += sign * traffic.bytesSent();
      bytesReceived += sign * traffic.bytesReceived();
    }
  }

  Joints(Collection<NodeFigures> nodes) {
    nodes.forEach(node -> this.nodes.put(node.entry().nodeId(), node));
    for (NodeFigures node : nodes) {
      if (node.isUp()) {
        connections(node.now(), this::now);
        if (node.before() != null) {
          connections(node.before(), this::before);
        }
      }
    }
  }

  /** A handler of each connection of a node to another. */
  private interface Each {
    void add(String id, DeviceStatistics device, ConnectionStatistics connection);
  }

  private static void connections(NodeStatistics node, Each each) {
    for (DeviceStatistics device : node.devices()) {
      for (ConnectionStatistics connection : device.connections()) {
        if (!connection.peer().isEmpty() && !connection.peer().equals(node.nodeId())) {
          each.add(node.nodeId(), device, connection);
        }
      }
    }
  }

  private static String key(String id, DeviceStatistics device, ConnectionStatistics connection) {
    boolean first = id.compareTo(connection.peer()) < 0;
    return (first ? id + ' ' + connection.peer() : connection.peer() + ' ' + id) + ' ' + device.fabric();
  }

  private void now(String id, DeviceStatistics device, ConnectionStatistics connection) {
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
    side.add(connection, 1);
  }

  /** Counts are told from the beginning: what was there already is taken off. */
  private void before(String id, DeviceStatistics device, ConnectionStatistics connection) {
    Joint joint = joints.get(key(id, device, connection));
    Side side = joint == null ? null : joint.sides.get(id);
    if (side != null) {
      side.add(connection, -1);
    }
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
