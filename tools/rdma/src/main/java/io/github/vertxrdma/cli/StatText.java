package io.github.vertxrdma.cli;

import io.github.vertxrdma.commands.Printable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** A node's statistics as text; rates are what changed between two readings. */
final class StatText {
  private final double seconds;
  private final int width;
  private final StringBuilder text = new StringBuilder();

  private StatText(double seconds, int width) {
    this.seconds = seconds;
    this.width = width;
  }

  /** @param width columns of a line of a table */
  static String of(JsonObject before, JsonObject now, int width) {
    StatText stat = new StatText(Math.max(0, now.getLong("timeMillis") - before.getLong("timeMillis")) / 1000.0, width);
    stat.heading(now);
    stat.devices(before, now);
    stat.connections(now);
    stat.ways(now);
    stat.regions(now.getJsonArray("regions"));
    stat.errors(now.getJsonArray("errors"));
    return stat.text.toString();
  }

  private void heading(JsonObject node) {
    text.append("node ").append(Printable.of(node.getString("name", ""))).append(node.getString("name", "").isEmpty() ? "" : "  ")
      .append(node.getString("nodeId")).append("  pid ").append(node.getLong("pid")).append("  directory ")
      .append(node.getString("directory")).append(", ").append(node.getJsonArray("members").size()).append(" nodes  ")
      .append(Instant.ofEpochMilli(node.getLong("timeMillis")).atZone(ZoneId.systemDefault()).toLocalTime()
        .truncatedTo(ChronoUnit.SECONDS))
      .append('\n').append("services ").append(node.getJsonArray("services").isEmpty() ? "none"
        : String.join(", ", strings(node.getJsonArray("services"))))
      .append("  connects failed ").append(node.getLong("connectsFailed")).append("  refused ")
      .append(node.getLong("refused")).append("\n\n");
  }

  private void devices(JsonObject before, JsonObject now) {
    Table table = new Table("DEVICE", "LOOP", "CONNECTIONS", "LOST", "RETRIES", "OUT/S", "IN/S", "SENT", "RECEIVED", "READ", "WRITTEN",
      "ATOMICS", "SLOTS SEND", "RECEIVE", "PARTS", "REGISTERED");
    for (JsonObject device : objects(now, "devices")) {
      JsonObject traffic = device.getJsonObject("traffic");
      JsonObject earlier = objects(before, "devices").stream().filter(d -> d.getString("device").equals(device.getString("device"))
        && d.getString("loop").equals(device.getString("loop"))).findFirst().orElse(device).getJsonObject("traffic");
      table.row(device.getString("device"), device.getString("loop").replaceFirst(".*-(\\d+)$", "$1"),
        Integer.toString(connectionCount(device)), number(device, "lost"), number(device, "retries"),
        rate(traffic, earlier, "messagesSent"), rate(traffic, earlier, "messagesReceived"), size(traffic, "bytesSent"),
        size(traffic, "bytesReceived"), size(traffic, "bytesRead"), size(traffic, "bytesWritten"), number(traffic, "atomics"),
        used(device, "sendSlots"), used(device, "receiveSlots"), used(device, "partSlots"), size(device, "registeredBytes"));
    }
    text.append(table.text(width));
  }

  private String rate(JsonObject now, JsonObject before, String what) {
    return seconds == 0 ? "-" : Long.toString(Math.round((now.getLong(what) - before.getLong(what)) / seconds));
  }

  private void connections(JsonObject now) {
    Table table = new Table("PEER", "OVER", "FOR", "", "MESSAGES OUT", "IN", "BYTES OUT", "IN", "CREDITS", "WAITING", "IN FLIGHT");
    int more = 0;
    boolean any = false;
    for (JsonObject device : objects(now, "devices")) {
      more += connectionCount(device) - device.getJsonArray("connections").size();
      for (JsonObject c : objects(device, "connections")) {
        JsonObject traffic = c.getJsonObject("traffic");
        any = true;
        table.row(c.getString("peer").isEmpty() ? c.getString("address") : c.getString("peer"), device.getString("device"),
          c.getString("service"), c.getBoolean("open") ? c.getBoolean("outgoing") ? "out" : "in" : "not open",
          number(traffic, "messagesSent"), number(traffic, "messagesReceived"), size(traffic, "bytesSent"), size(traffic, "bytesReceived"),
          c.getLong("dataCredits") + "+" + c.getLong("controlCredits"), size(c, "pendingBytes"),
          Long.toString(c.getLong("sendsInFlight") + c.getLong("transfers") + c.getLong("unreadParts")));
      }
    }
    text.append('\n').append(any ? table.text(width) : more == 0 ? "no connections\n" : "");
    if (more > 0) {
      text.append("and ").append(more).append(" more connections\n");
    }
  }

  /** Connections of a device; those that are listed, where the process is of an earlier version and does not count. */
  private static int connectionCount(JsonObject device) {
    return device.getInteger("connectionCount", device.getJsonArray("connections").size());
  }

  /** Processes of an earlier version have none. */
  private void ways(JsonObject now) {
    JsonArray ways = now.getJsonArray("ways", new JsonArray());
    if (!ways.isEmpty()) {
      Table table = new Table("BUS AND STREAMS TO", "AT", "OVER", "REASON");
      ways.stream().map(JsonObject.class::cast).forEach(way -> table.row(
        way.getString("name").isEmpty() ? way.getString("nodeId").isEmpty() ? "several nodes" : way.getString("nodeId")
          : way.getString("name"),
        way.getString("address"), way.getString("way"), way.getString("reason")));
      text.append('\n').append(table.text(width));
    }
    List<String> counts = now.getJsonArray("tcpConnections", new JsonArray()).stream().map(JsonObject.class::cast)
      .filter(each -> each.getLong("count") > 0).map(each -> each.getString("reason") + ' ' + each.getLong("count")).map(Printable::of)
      .toList();
    if (!counts.isEmpty()) {
      text.append("connections by TCP: ").append(String.join(", ", counts)).append('\n');
    }
  }

  private void regions(JsonArray regions) {
    if (regions.isEmpty()) {
      return;
    }
    Table table = new Table("REGION", "SIZE", "HELD BY");
    regions.forEach(each -> {
      JsonObject region = (JsonObject) each;
      table.row(region.getString("name").isEmpty() ? "(no name)" : region.getString("name"), size(region, "size"),
        region.getJsonArray("holders").isEmpty() ? "nobody" : String.join(", ", strings(region.getJsonArray("holders"))));
    });
    text.append('\n').append(table.text(width));
  }

  private void errors(JsonArray errors) {
    if (!errors.isEmpty()) {
      text.append("\nlast errors\n");
      strings(errors).forEach(error -> text.append("  ").append(error).append('\n'));
    }
  }

  private static String used(JsonObject device, String slots) {
    return number(device, slots + "Used") + "/" + number(device, slots);
  }

  private static String number(JsonObject json, String name) {
    return Long.toString(json.getLong(name));
  }

  private static String size(JsonObject json, String name) {
    return Sizes.format(json.getLong(name));
  }

  private static List<String> strings(JsonArray array) {
    return array.stream().map(String::valueOf).map(Printable::of).toList();
  }

  private static List<JsonObject> objects(JsonObject json, String name) {
    return json.getJsonArray(name).stream().map(JsonObject.class::cast).toList();
  }
}
