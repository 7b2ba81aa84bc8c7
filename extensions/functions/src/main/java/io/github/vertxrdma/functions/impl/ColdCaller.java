package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;

/**
 * Address at which the holder of a lease expects its cold workers, which are in no directory and therefore connect to it.
 *
 * @param node its node
 * @param service its service
 * @param token identifies its lease; known to it, the server and the workers
 */
record ColdCaller(NodeEntry node, ServiceEntry service, long token) {

  /** Reads the JSON of {@link #toJson}. @throws IllegalArgumentException with what is missing, or if it belongs to another node */
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

  /** Adds it to a directory. */
  DirectoryOptions addTo(DirectoryOptions directory) {
    return directory.addEntry(node).addEntry(service);
  }

  /** Returns the ticket with which a worker connects. */
  static Buffer ticket(long token, String worker) {
    return Buffer.buffer().appendLongLE(token).appendBytes(worker.getBytes(StandardCharsets.UTF_8));
  }
}
