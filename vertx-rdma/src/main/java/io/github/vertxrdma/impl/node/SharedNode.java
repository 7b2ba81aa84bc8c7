package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.impl.auth.Authorizers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
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
  /** Set when it was given back. */
  private Future<Void> released;

  /**
   * Key of what is shared: the same Vert.x, options that read the same, the same authorizer and directory; null for the one of the options.
   */
  private record Key(VertxInternal vertx, JsonObject options, RdmaAuthorizer authorizer, DirectoryBackend directory) {
  }

  /** A node and how many use it; it stays in its place until it is closed. */
  private static final class Shared {
    final Future<Node> node;
    int users;
    /** Set when the last one gave it back. */
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
   * Takes a share; the first one starts the node, after the one that is being closed, whose port and names it may want.
   *
   * @param directory one that is open, closed with the node; null for the one that the options name
   */
  public static SharedNode acquire(VertxInternal vertx, RdmaOptions options, DirectoryBackend directory) {
    RdmaOptions known;
    try {
      known = new RdmaOptions(options).setAuthorizerClass(null).setAuthorizer(Authorizers.of(options));
    } catch (IllegalArgumentException e) {
      return new SharedNode(new Key(vertx, new JsonObject(), null, directory), new Shared(Future.failedFuture(e)));
    }
    Key key = new Key(vertx, known.toJson(), known.getAuthorizer(), directory);
    synchronized (NODES) {
      Shared there = NODES.get(key);
      if (there != null && there.closed == null) {
        return new SharedNode(key, there);
      }
      Shared made = new Shared(there != null ? there.closed.transform(closed -> start(key, known))
        : isFree(directory) ? start(key, known) : Future.failedFuture(new IllegalArgumentException("the directory of node "
          + directory.nodeId()
          + " serves an Rdma with other options already: give both the same options, or each a directory of its own")));
      NODES.put(key, made);
      made.node.onFailure(cause -> forget(key, made));
      return new SharedNode(key, made);
    }
  }

  private static boolean isFree(DirectoryBackend directory) {
    return directory == null || NODES.keySet().stream().noneMatch(other -> other.directory == directory);
  }

  private static Future<Node> start(Key key, RdmaOptions options) {
    return key.directory == null ? Node.start(key.vertx, options) : Node.start(key.vertx, options, key.directory);
  }

  private static void forget(Key key, Shared shared) {
    synchronized (NODES) {
      NODES.remove(key, shared);
    }
  }

  public Future<Node> node() {
    return shared.node;
  }

  /** Gives the share back; the last one closes the node. Idempotent: all callers get one future. */
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
