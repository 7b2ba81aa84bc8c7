package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;

/**
 * Address to which the cold workers of a lease connect.
 *
 * @param token secret that identifies the lease
 */
record ColdCaller(NodeEntry node, ServiceEntry service, long token) {

  static ColdCaller of(JsonObject json, String nodeId) {
    if (json == null) {
      throw new IllegalArgumentException("a request for cold workers must name the service to which they connect");
    }
    ColdCaller caller = new ColdCaller(NodeEntry.fromJson(json.getJsonObject("node", new JsonObject())),
      ServiceEntry.fromJson(json.getJsonObject("endpoint", new JsonObject())), Long.parseUnsignedLong(json.getString("token", ""), 16));
    if (!caller.node.nodeId().equals(nodeId) || !caller.service.nodeId().equals(nodeId)) {
      throw new IllegalArgumentException(
        "node " + nodeId + " cannot send cold workers to " + caller.service + ": that service belongs to another node");
    }
    return caller;
  }

  JsonObject toJson() {
    return new JsonObject().put("node", node.toJson()).put("endpoint", service.toJson()).put("token", Long.toHexString(token));
  }

  static Buffer ticket(long token, String worker) {
    return Buffer.buffer().appendLongLE(token).appendBytes(worker.getBytes(StandardCharsets.UTF_8));
  }
}
