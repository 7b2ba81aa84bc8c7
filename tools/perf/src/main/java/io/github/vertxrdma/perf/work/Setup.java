package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Setup of both processes of a pair.
 *
 * @param stack measured stack: {@code rdma}, {@code tcp}, {@code aeron}
 * @param port free port; the next port is also free
 * @param options options of the node by name, and those in {@link #OF_THE_MEASUREMENT}
 */
public record Setup(String stack, String mode, String fabric, int connections, int window, String folder, int port, JsonObject options) {
  static final List<String> OF_THE_MEASUREMENT = List.of("zeroCopy", "touch", "apart", "loops", "transport", "spin", "worker", "work",
    "serve", "to");

  public boolean has(String option) {
    return options.getBoolean(option, false);
  }

  public JsonObject toJson() {
    return new JsonObject().put("stack", stack).put("mode", mode).put("fabric", fabric).put("connections", connections)
      .put("window", window).put("folder", folder).put("port", port).put("options", options);
  }

  static Setup of(JsonObject json) {
    return new Setup(json.getString("stack"), json.getString("mode"), json.getString("fabric"), json.getInteger("connections"),
      json.getInteger("window"), json.getString("folder"), json.getInteger("port"), json.getJsonObject("options"));
  }
}
