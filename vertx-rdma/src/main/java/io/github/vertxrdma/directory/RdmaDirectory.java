package io.github.vertxrdma.directory;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Directory of all nodes, services and named regions. Look-ups use a local cache and never block. Entries are visible while their node is
 * present under the same epoch, a random number of its run.
 *
 * <p>Methods may be called from any thread. Futures complete and handlers run on the caller's context.
 */
public interface RdmaDirectory {

  /** Returns the {@linkplain DirectoryOptions#setType type}. */
  String type();

  /** Returns a text for messages: the type of the directory, and its group if it has one. */
  default String where() {
    return type() + " directory";
  }

  /** Returns this node as last published, or {@link NodeEntry#local} before that. */
  NodeEntry self();

  default String nodeId() {
    return self().nodeId();
  }

  /** Returns this node's epoch, which a rejoin changes. */
  default long epoch() {
    return self().epoch();
  }

  /** Returns all present nodes, including this one once it is published. */
  List<NodeEntry> nodes();

  /** Returns a node, or empty if it is not present. */
  Optional<NodeEntry> node(String nodeId);

  List<ServiceEntry> services();

  /** Returns all instances of a name. */
  List<ServiceEntry> services(String name);

  /** Returns the services whose name is an address with this port, such as {@code tcp/10.0.0.1:8080}. */
  default List<ServiceEntry> servicesAt(int port) {
    return services().stream().filter(service -> service.name().endsWith(":" + port)).toList();
  }

  List<RegionEntry> regions();

  Optional<RegionEntry> region(String name);

  /** Waits for at least one instance of a name. Fails with {@link java.util.concurrent.TimeoutException}. */
  Future<List<ServiceEntry>> awaitServices(String name, Duration timeout);

  /** Waits for the region of a name. Fails with {@link java.util.concurrent.TimeoutException}. */
  Future<RegionEntry> awaitRegion(String name, Duration timeout);

  /** Waits for a node. Fails with {@link java.util.concurrent.TimeoutException}. */
  Future<NodeEntry> awaitNode(String nodeId, Duration timeout);

  /** Watches the directory. The handler first receives {@code ADDED} for each present entry, then every change, in order. */
  DirectoryWatch watch(Handler<DirectoryEvent> handler);

  /** Watches the directory like {@link #watch}, but calls the handler for nodes only. */
  default DirectoryWatch watchNodes(Handler<DirectoryEvent> handler) {
    return watch(event -> {
      if (event.entry() instanceof NodeEntry) {
        handler.handle(event);
      }
    });
  }

  /**
   * Watches this node's epoch. The handler receives the new epoch when this node rejoins after it was separated from the group. The
   * directory republishes this node and its services. It withdraws this node's regions, whose owners must publish them again.
   */
  DirectoryWatch watchEpoch(Handler<Long> handler);
}
