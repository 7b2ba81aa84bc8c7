package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;

/**
 * Where the holder of a lease waits for its cold workers: these are in no directory, so they come to it.
 *
 * @param node its node
 * @param service where it listens
 * @param token tells which of its leases they belong to; known to it, the server and the workers
 */
record ColdCaller(NodeEntry node, ServiceEntry service, long token) {

  /** Reads what {@link #toJson} wrote. @throws IllegalArgumentException with what is missing, or if it is not of that node */
  static ColdCaller of(JsonObject json, String nodeId) {
    if (json == null) {
      throw new IllegalArgumentException("a lease of cold workers has to say where its holder waits for them");
    }
    ColdCaller caller = new ColdCaller(NodeEntry.fromJson(json.getJsonObject("node", new JsonObject())),
      ServiceEntry.fromJson(json.getJsonObject("endpoint", new JsonObject())), Long.parseUnsignedLong(json.getString("token", ""), 16));
    if (!caller.node.nodeId().equals(nodeId) || !caller.service.nodeId().equals(nodeId)) {
      throw new IllegalArgumentException("node " + nodeId + " cannot have cold workers go to " + caller.service + ", which is another's");
    }
    return caller;
  }

  JsonObject toJson() {
    return new JsonObject().put("node", node.toJson()).put("endpoint", service.toJson()).put("token", Long.toHexString(token));
  }

  /** Has a directory know of it. */
  DirectoryOptions addTo(DirectoryOptions directory) {
    return directory.addEntry(node).addEntry(service);
  }

  /** The token that a worker shows when it comes. */
  static Buffer ticket(long token, String worker) {
    return Buffer.buffer().appendLongLE(token).appendBytes(worker.getBytes(StandardCharsets.UTF_8));
  }
}
