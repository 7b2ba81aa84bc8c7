package io.github.vertxrdma.perf.soak;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.TreeMap;

final class Tally {
  private final Map<String, Long> counts = new TreeMap<>();
  private final StringBuilder errors = new StringBuilder();

  synchronized void add(String what, long count) {
    counts.merge(what, count, Long::sum);
  }

  synchronized void wrong(String what) {
    if (errors.length() < 2000) {
      errors.append(errors.isEmpty() ? "" : "; ").append(what);
    }
  }

  synchronized String errors() {
    return errors.toString();
  }

  synchronized JsonObject take() {
    JsonObject taken = new JsonObject();
    counts.forEach(taken::put);
    counts.clear();
    return taken;
  }

  synchronized void merge(JsonObject taken) {
    taken.forEach(each -> add(each.getKey(), ((Number) each.getValue()).longValue()));
  }

  @Override
  public synchronized String toString() {
    StringBuilder text = new StringBuilder();
    counts.forEach((what, count) -> text.append(text.isEmpty() ? "" : ", ").append(count).append(' ').append(what));
    return text.toString();
  }
}
