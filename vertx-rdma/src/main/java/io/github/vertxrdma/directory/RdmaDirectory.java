package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Tells every node where every service and every remotely usable region is. Look-ups are answered from a local cache, cost no more than a
 * map look-up and never block. An entry is seen as long as its node is in the directory under the same epoch: it vanishes when the node
 * leaves or dies, and a node that comes back has another epoch, so nothing of its past does.
 *
 * <p>All methods may be called from any thread. Futures complete and handlers run on the context of the caller.
 */
public interface RdmaDirectory {

  /** The type by which {@link DirectoryOptions#setType} names it. */
  String type();

  /** Directory and group, in words for messages. */
  default String where() {
    return type() + " directory";
  }

  /**
   * This node as it was last given to {@link DirectoryBackend#publish}; before that, as {@link NodeEntry#local} under this directory's node
   * id and epoch.
   */
  NodeEntry self();

  /** This node's id. */
  default String nodeId() {
    return self().nodeId();
  }

  /** This node's present epoch; a rejoin changes it ({@link #watchEpoch}). */
  default long epoch() {
    return self().epoch();
  }

  /** All nodes that are there, this one included once it is published. */
  List<NodeEntry> nodes();

  /** A node that is there. */
  Optional<NodeEntry> node(String nodeId);

  /** All services. */
  List<ServiceEntry> services();

  /** All instances of one name; empty if there is none. */
  List<ServiceEntry> services(String name);

  /**
   * Returns the services whose names are addresses with that port, as servers of the network stack have: {@code tcp/10.0.0.1:8080}.
   */
  default List<ServiceEntry> servicesAt(int port) {
    return services().stream().filter(service -> service.name().endsWith(":" + port)).toList();
  }

  /** All regions. */
  List<RegionEntry> regions();

  /** The region of that name. */
  Optional<RegionEntry> region(String name);

  /**
   * All instances of one name, as soon as there is at least one.
   *
   * @param timeout how long to wait; the future then fails with {@link java.util.concurrent.TimeoutException}
   */
  Future<List<ServiceEntry>> awaitServices(String name, Duration timeout);

  /**
   * The region of that name, as soon as it is there.
   *
   * @param timeout how long to wait; the future then fails with {@link java.util.concurrent.TimeoutException}
   */
  Future<RegionEntry> awaitRegion(String name, Duration timeout);

  /**
   * The node of that id, as soon as it is there.
   *
   * @param timeout how long to wait; the future then fails with {@link java.util.concurrent.TimeoutException}
   */
  Future<NodeEntry> awaitNode(String nodeId, Duration timeout);

  /** Watches: the handler first hears {@code ADDED} of all that is there, then every change, in order. */
  DirectoryWatch watch(Handler<DirectoryEvent> handler);

  /** Watches nodes: the handler first hears {@code ADDED} of those that are there; joined is {@code ADDED}, left is {@code REMOVED}. */
  default DirectoryWatch watchNodes(Handler<DirectoryEvent> handler) {
    return watch(event -> {
      if (event.entry() instanceof NodeEntry) {
        handler.handle(event);
      }
    });
  }

  /**
   * Watches this node's epoch: the handler hears the new one after this node was cut off and has come back. Its node and service entries
   * are published anew by the directory; regions have keys that are sealed for an epoch, so they are withdrawn and whoever shared them
   * publishes them again.
   */
  DirectoryWatch watchEpoch(Handler<Long> handler);
}
