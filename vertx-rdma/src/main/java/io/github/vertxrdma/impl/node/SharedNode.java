package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.vertx.core.Future;
import io.vertx.core.internal.VertxInternal;
import java.util.HashMap;
import java.util.Map;

/**
 * One share of a node. The application and the network stack of one Vert.x are one node where their options are the same; where they
 * differ they are two, and the later one has an id of its own in the directory. Thread-safe.
 */
public final class SharedNode {
  private static final Map<Key, Shared> NODES = new HashMap<>();

  private final Key key;
  private final Shared shared;
  private boolean released;

  /** What is shared: the same Vert.x, options that read the same, and the same directory; null for the one of the options. */
  private record Key(VertxInternal vertx, String options, EndpointDirectory directory) {
  }

  /** A node and how many use it. */
  private static final class Shared {
    final Future<Node> node;
    int users;

    Shared(Future<Node> node) {
      this.node = node;
    }
  }

  private SharedNode(Key key, Shared shared) {
    this.key = key;
    this.shared = shared;
  }

  /**
   * Takes a share; the first one starts the node.
   *
   * @param directory one that is open, closed with the node; null for the one that the options name
   */
  public static SharedNode acquire(VertxInternal vertx, RdmaOptions options, EndpointDirectory directory) {
    Key key = new Key(vertx, options.toJson().encode(), directory);
    synchronized (NODES) {
      Shared shared = NODES.get(key);
      if (shared == null) {
        shared = new Shared(start(key, options));
        NODES.put(key, shared);
        Shared made = shared;
        shared.node.onFailure(cause -> forget(key, made));
      }
      shared.users++;
      return new SharedNode(key, shared);
    }
  }

  private static Future<Node> start(Key key, RdmaOptions options) {
    if (key.directory == null) {
      return Node.start(key.vertx, options);
    }
    return NODES.keySet().stream().noneMatch(other -> other.directory == key.directory)
      ? Node.start(key.vertx, options, key.directory)
      : Future.failedFuture(new IllegalArgumentException("the directory of node " + key.directory.nodeId() + " serves an Rdma with other"
        + " options already: give both the same options, or each a directory of its own"));
  }

  private static void forget(Key key, Shared shared) {
    synchronized (NODES) {
      NODES.remove(key, shared);
    }
  }

  public Future<Node> node() {
    return shared.node;
  }

  /** Gives the share back; the last one closes the node. Idempotent. */
  public Future<Void> release() {
    synchronized (NODES) {
      if (released) {
        return Future.succeededFuture();
      }
      released = true;
      if (--shared.users > 0) {
        return Future.succeededFuture();
      }
      forget(key, shared);
    }
    return shared.node.transform(started -> started.succeeded() ? started.result().close() : Future.succeededFuture());
  }
}
