package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.UUID;

/** Known peers, given by options. What this node publishes is seen by itself alone. */
public final class StaticDirectory extends AbstractDirectory {

  /** @throws IllegalArgumentException if an entry is none, with the reason */
  public StaticDirectory(Vertx vertx, DirectoryOptions options) {
    super(vertx, options.getNodeId() == null ? UUID.randomUUID().toString() : options.getNodeId());
    for (JsonObject json : options.getEntries()) {
      DirectoryEntry entry = DirectoryEntry.fromJson(json);
      if (!entry.nodeId().equals(nodeId())) {
        cache.put(entry);
      }
    }
  }

  @Override
  public String type() {
    return DirectoryOptions.STATIC;
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    return future(null);
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    return future(null);
  }

  @Override
  protected Future<Void> release() {
    return future(null);
  }
}
