package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Resources that one {@code Rdma} has opened and closes with itself; the node below may live on for others. Thread-safe. */
public final class Opened {
  private final Set<RdmaServerImpl> servers = ConcurrentHashMap.newKeySet();
  private final Set<RdmaConnectionImpl> connections = ConcurrentHashMap.newKeySet();
  private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();
  private final Set<Supplier<Future<Void>>> others = ConcurrentHashMap.newKeySet();

  void add(RdmaServerImpl server) {
    servers.add(server);
  }

  void remove(RdmaServerImpl server) {
    servers.remove(server);
  }

  void add(RdmaConnectionImpl connection) {
    connections.add(connection);
  }

  void remove(RdmaConnectionImpl connection) {
    connections.remove(connection);
  }

  /** Adds something else that knows how to close. */
  public void add(Supplier<Future<Void>> other) {
    others.add(other);
  }

  public void remove(Supplier<Future<Void>> other) {
    others.remove(other);
  }

  /** Adds a region, and forgets those that were closed. */
  public MemoryRegion add(MemoryRegion region) {
    regions.removeIf(other -> other instanceof OwnedRegion owned && !owned.isOpen());
    regions.add(region);
    return region;
  }

  /** Closes servers first, so that nothing new comes; then connections in order, within their time; regions last. */
  public Future<Void> close() {
    List<Future<Void>> closing = new ArrayList<>();
    servers.forEach(server -> closing.add(server.close()));
    others.forEach(other -> closing.add(other.get()));
    connections.forEach(connection -> closing.add(connection.shutdown()));
    return Future.join(closing).transform(closed -> Future.join(regions.stream().map(MemoryRegion::close).toList())).otherwiseEmpty().mapEmpty();
  }
}
