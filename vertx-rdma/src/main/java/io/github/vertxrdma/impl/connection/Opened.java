package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.impl.region.OwnedRegion;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Resources that close with somebody: with the {@code Rdma} that opened them, with the verticle in which they were opened, or with the
 * server that accepted them. What is added after that closes at once. The node below may live on for others. Thread-safe.
 */
public final class Opened {
  private final Opened parent;
  private final Map<CloseFuture, Opened> verticles = new ConcurrentHashMap<>();
  private final Set<RdmaServerImpl> servers = ConcurrentHashMap.newKeySet();
  private final Set<RdmaConnectionImpl> connections = ConcurrentHashMap.newKeySet();
  private final Set<OwnedRegion> regions = ConcurrentHashMap.newKeySet();
  private final Set<Supplier<Future<Void>>> others = ConcurrentHashMap.newKeySet();
  /** Calls that have not ended. */
  private final Set<Future<?>> begun = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Resources of an {@code Rdma}. */
  public Opened() {
    this(null);
  }

  /** Connections that belong to another one too. */
  Opened(Opened parent) {
    this.parent = parent;
  }

  /** Resources that close when the context's verticle is undeployed; these, where it is no verticle's. */
  public Opened of(ContextInternal context) {
    CloseFuture end = context.closeFuture();
    if (end == context.owner().closeFuture()) {
      return this;
    }
    Opened own = verticles.computeIfAbsent(end, verticle -> {
      Opened made = new Opened();
      Closeable hook = done -> {
        verticles.remove(verticle);
        made.close().onComplete(done);
      };
      made.closed = !verticle.add(hook);
      return made;
    });
    if (own.closed) {
      // The verticle ended before, and nobody else removes it.
      verticles.remove(end, own);
    }
    return own;
  }

  /** Counts a call as begun until it ends. */
  public <T> Future<T> begun(Future<T> call) {
    if (!call.isComplete()) {
      begun.add(call);
      call.onComplete(done -> begun.remove(call));
    }
    return call;
  }

  /** Completes when calls that were begun before have ended, well or not. */
  public Future<Void> idle() {
    return Future.join(List.copyOf(begun)).<Void>mapEmpty().otherwiseEmpty();
  }

  boolean isClosed() {
    return closed;
  }

  void add(RdmaServerImpl server) {
    servers.add(server);
    if (closed) {
      server.close();
    }
  }

  void remove(RdmaServerImpl server) {
    servers.remove(server);
  }

  void add(RdmaConnectionImpl connection) {
    connections.add(connection);
    if (parent != null) {
      parent.add(connection);
    }
    if (closed) {
      connection.context().runOnContext(v -> connection.shutdown());
    }
  }

  void remove(RdmaConnectionImpl connection) {
    connections.remove(connection);
    if (parent != null) {
      parent.remove(connection);
    }
  }

  /** Adds something else that knows how to close. */
  public void add(Supplier<Future<Void>> other) {
    others.add(other);
    if (closed) {
      other.get();
    }
  }

  public void remove(Supplier<Future<Void>> other) {
    others.remove(other);
  }

  /** Adds a region until it is closed. */
  public MemoryRegion add(OwnedRegion region) {
    regions.add(region);
    region.whenClosed(() -> regions.remove(region));
    if (closed) {
      region.close();
    }
    return region;
  }

  /** Closes servers first, so that nothing new comes; then connections in order, within their time; regions last. */
  public Future<Void> close() {
    return close(RdmaConnectionImpl::shutdown);
  }

  /** Closes likewise, and waits for peers of connections so long at most. */
  Future<Void> shutdown(Duration timeout) {
    return close(connection -> connection.shutdown(timeout));
  }

  private Future<Void> close(Function<RdmaConnectionImpl, Future<Void>> ending) {
    closed = true;
    List<Future<Void>> closing = new ArrayList<>();
    servers.forEach(server -> closing.add(server.close()));
    others.forEach(other -> closing.add(other.get()));
    connections.forEach(connection -> closing.add(ending.apply(connection)));
    verticles.values().forEach(verticle -> closing.add(verticle.close(ending)));
    return Future.join(closing).transform(v -> Future.join(regions.stream().map(OwnedRegion::close).toList())).otherwiseEmpty().mapEmpty();
  }
}
