package io.github.vertxrdma;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Health of a node.
 *
 * @param problems texts for people; empty if the node works
 */
public record HealthReport(List<String> problems) {
  public HealthReport {
    problems = List.copyOf(problems);
  }

  public boolean up() {
    return problems.isEmpty();
  }

  /** Returns the reply for health probes: {@code {"up": false, "problems": ["…"]}}. */
  public JsonObject toJson() {
    return new JsonObject().put("up", up()).put("problems", new JsonArray(problems));
  }
}
