package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaOptions;
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

  /** What is shared: the same Vert.x, options that read the same. */
  private record Key(VertxInternal vertx, String options) {
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

  /** Takes a share; the first one starts the node. */
  public static SharedNode acquire(VertxInternal vertx, RdmaOptions options) {
    Key key = new Key(vertx, options.toJson().encode());
    synchronized (NODES) {
      Shared shared = NODES.get(key);
      if (shared == null) {
        shared = new Shared(Node.start(vertx, options));
        NODES.put(key, shared);
        Shared made = shared;
        shared.node.onFailure(cause -> forget(key, made));
      }
      shared.users++;
      return new SharedNode(key, shared);
    }
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
