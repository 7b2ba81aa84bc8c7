package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.json.JsonObject;

/**
 * A client's request to a server.
 *
 * @param version highest version that both sides support
 * @param caller address for cold workers; null for others
 */
record LeaseRequest(int version, String client, int workers, int memory, int slots, int messageSize, long millis, WorkerMode mode,
  ColdCaller caller) {

  static LeaseRequest of(JsonObject json, String node) {
    LeaseRequest asked;
    try {
      int version = Wire.choose(VersionRange.parse(json.getString("versions", "")));
      WorkerMode mode = WorkerMode.valueOf(json.getString("mode"));
      asked = new LeaseRequest(version, Wire.cut(json.getString("client", node)), json.getInteger("workers"), json.getInteger("memory"),
        json.getInteger("slots"),
        json.getInteger("messageSize", 0), json.getLong("millis"), mode,
        mode == WorkerMode.COLD ? ColdCaller.of(json.getJsonObject("caller"), node) : null);
    } catch (FunctionException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new FunctionException(Reason.PROTOCOL, "an invalid request for a lease: " + Wire.words(e));
    }
    if (asked.workers < 1 || asked.slots < 1 || asked.slots > Wire.MAX_SLOTS || asked.memory < asked.slots * LeaseOptions.LEAST_SLOT) {
      throw new FunctionException(Reason.PROTOCOL, "a lease of " + asked.workers + " workers with " + asked.memory + " bytes for "
        + asked.slots + " slots is not possible: use at least one worker, 1 to " + Wire.MAX_SLOTS + " slots and " + LeaseOptions.LEAST_SLOT
        + " bytes or more for each slot");
    }
    return asked;
  }
}
