package io.github.vertxrdma.functions;

import io.vertx.core.json.JsonObject;

/**
 * What a lease has cost.
 *
 * @param lease the lease
 * @param client who had it
 * @param workers how many workers it had
 * @param memory bytes of input regions that it had
 * @param allocationNanos worker time that was set aside for it: workers × time
 * @param hotNanos of it, time that workers polled
 * @param executionNanos of it, time that functions ran
 * @param invocations calls that were executed
 */
public record Bill(String lease, String client, int workers, long memory, long allocationNanos, long hotNanos, long executionNanos,
  long invocations) {

  public JsonObject toJson() {
    return new JsonObject().put("lease", lease).put("client", client).put("workers", workers).put("memory", memory)
      .put("allocationNanos", allocationNanos).put("hotNanos", hotNanos).put("executionNanos", executionNanos)
      .put("invocations", invocations);
  }

  /** Reads what {@link #toJson} wrote. */
  public static Bill fromJson(JsonObject json) {
    return new Bill(json.getString("lease"), json.getString("client"), json.getInteger("workers"), json.getLong("memory"),
      json.getLong("allocationNanos"), json.getLong("hotNanos"), json.getLong("executionNanos"), json.getLong("invocations"));
  }
}
