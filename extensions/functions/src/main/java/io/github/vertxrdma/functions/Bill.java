package io.github.vertxrdma.functions;

import io.github.vertxrdma.base.PeerText;
import io.vertx.core.json.JsonObject;

/**
 * Resources that a lease has used.
 *
 * @param client holder of the lease
 * @param memory bytes of the workers' input regions
 * @param allocationNanos leased time, summed over the workers
 * @param hotNanos time in which workers polled
 * @param executionNanos time in which functions ran
 * @param invocations number of executed calls
 */
public record Bill(String lease, String client, int workers, long memory, long allocationNanos, long hotNanos, long executionNanos,
  long invocations) {

  public JsonObject toJson() {
    return new JsonObject().put("lease", lease).put("client", client).put("workers", workers).put("memory", memory)
      .put("allocationNanos", allocationNanos).put("hotNanos", hotNanos).put("executionNanos", executionNanos)
      .put("invocations", invocations);
  }

  public static Bill fromJson(JsonObject json) {
    return new Bill(PeerText.of(json.getString("lease")), PeerText.of(json.getString("client")), json.getInteger("workers"),
      json.getLong("memory"),
      json.getLong("allocationNanos"), json.getLong("hotNanos"), json.getLong("executionNanos"), json.getLong("invocations"));
  }
}
