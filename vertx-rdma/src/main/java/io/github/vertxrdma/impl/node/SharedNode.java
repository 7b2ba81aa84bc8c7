package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.impl.peers.Authorization;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;

/** A reference to a node. Users of one Vert.x with equal options share the node. Thread-safe. */
public final class SharedNode {
  private static final Map<Key, Shared> NODES = new HashMap<>();

  private final Key key;
  private final Shared shared;
  private Future<Void> released;

  private record Key(VertxInternal vertx, JsonObject options, RdmaAuthorizer authorizer, DirectoryBackend directory) {
  }

  /** Node with its reference count. In {@link #NODES} until the node is closed. */
  private static final class Shared {
    final Future<Node> node;
    int users;
    Future<Void> closed;

    Shared(Future<Node> node) {
      this.node = node;
    }
  }

  private SharedNode(Key key, Shared shared) {
    this.key = key;
    this.shared = shared;
    shared.users++;
  }

  /**
   * Takes a reference. The first reference starts the node, after a node with the same key has closed.
   *
   * @param directory open directory, which the node closes; null to open the directory of the options
   */
  public static SharedNode acquire(VertxInternal vertx, RdmaOptions options, DirectoryBackend directory) {
    RdmaOptions resolved;
    try {
      resolved = new RdmaOptions(options).setAuthorizerClass(null).setAuthorizer(Authorization.authorizer(options));
    } catch (IllegalArgumentException e) {
      return new SharedNode(new Key(vertx, new JsonObject(), null, directory), new Shared(Future.failedFuture(e)));
    }
    Key key = new Key(vertx, resolved.toJson(), resolved.getAuthorizer(), directory);
    synchronized (NODES) {
      Shared existing = NODES.get(key);
      if (existing != null && existing.closed == null) {
        return new SharedNode(key, existing);
      }
      Shared created = new Shared(existing != null ? existing.closed.transform(closed -> Node.start(vertx, resolved, directory))
        : isFree(directory) ? Node.start(vertx, resolved, directory)
          : Future.failedFuture(new IllegalArgumentException("the directory of node "
            + directory.nodeId()
            + " already serves an Rdma with other options. Give both the same options, or give each its own directory")));
      NODES.put(key, created);
      created.node.onFailure(cause -> forget(key, created));
      return new SharedNode(key, created);
    }
  }

  private static boolean isFree(DirectoryBackend directory) {
    return directory == null || NODES.keySet().stream().noneMatch(other -> other.directory == directory);
  }

  private static void forget(Key key, Shared shared) {
    synchronized (NODES) {
      NODES.remove(key, shared);
    }
  }

  public Future<Node> node() {
    return shared.node;
  }

  /** Releases the reference; the last one closes the node. Idempotent. */
  public Future<Void> release() {
    Promise<Void> closed = Promise.promise();
    synchronized (NODES) {
      if (released != null) {
        return released;
      }
      if (--shared.users > 0) {
        released = Future.succeededFuture();
        return released;
      }
      released = closed.future();
      shared.closed = released;
    }
    shared.node.transform(started -> started.succeeded() ? started.result().close() : Future.succeededFuture()).onComplete(done -> {
      forget(key, shared);
      closed.handle(done);
    });
    return released;
  }
}
