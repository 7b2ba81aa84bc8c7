package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.List;

/** Recent chart points, and joins and departures of nodes, for browsers that connect later. */
final class ChartHistory {
  private static final int POINTS = 300;
  private static final int EVENTS = 30;

  private final ArrayDeque<List<Object>> points = new ArrayDeque<>();
  private final ArrayDeque<JsonObject> events = new ArrayDeque<>();
  private boolean allPoints;

  /** Makes the next {@link Picture} contain all points, because a browser has connected. */
  void sendAll() {
    allPoints = true;
  }

  void clear() {
    points.clear();
    events.clear();
  }

  void addEvent(NodeEntry node, String what) {
    if (events.size() == EVENTS) {
      events.removeFirst();
    }
    events.add(new JsonObject().put("time", System.currentTimeMillis()).put("node", node.nodeId()).put("what", what));
  }

  void add(List<Object> point) {
    if (points.size() == POINTS) {
      points.removeFirst();
    }
    points.add(point);
  }

  void put(JsonObject picture) {
    JsonArray sent = new JsonArray();
    if (allPoints) {
      points.forEach(point -> sent.add(new JsonArray(point)));
    } else if (!points.isEmpty()) {
      sent.add(new JsonArray(points.getLast()));
    }
    picture.put("whole", allPoints).put("points", sent).put("happened", new JsonArray(List.copyOf(events)));
    allPoints = false;
  }
}
