package io.github.vertxrdma;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Whether a node can do its work.
 *
 * @param problems what keeps it from that, in words; empty if nothing does
 */
public record HealthReport(List<String> problems) {
  public HealthReport {
    problems = List.copyOf(problems);
  }

  /** Whether nothing is wrong. */
  public boolean up() {
    return problems.isEmpty();
  }

  /** As probes tell it: {@code {"up": false, "problems": ["…"]}}. */
  public JsonObject toJson() {
    return new JsonObject().put("up", up()).put("problems", new JsonArray(problems));
  }
}
