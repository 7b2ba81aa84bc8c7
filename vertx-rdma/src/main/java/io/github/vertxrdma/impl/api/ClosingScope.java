package io.github.vertxrdma.impl.api;

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

/** Resources that close with their {@code Rdma}, verticle or server. A resource added after that closes immediately. Thread-safe. */
public final class ClosingScope {
  private final ClosingScope parent;
  private final Map<CloseFuture, ClosingScope> verticles = new ConcurrentHashMap<>();
  private final Set<RdmaConnectionImpl> connections = ConcurrentHashMap.newKeySet();
  private final Set<OwnedRegion> regions = ConcurrentHashMap.newKeySet();
  private final Set<Supplier<Future<Void>>> closeables = ConcurrentHashMap.newKeySet();
  private final Set<Future<?>> calls = ConcurrentHashMap.newKeySet();
  /** True if the verticle ended before this scope was created, so that Vert.x calls no close hook. */
  private boolean late;
  private volatile boolean closed;

  public ClosingScope() {
    this(null);
  }

  ClosingScope(ClosingScope parent) {
    this.parent = parent;
  }

  public ClosingScope of(ContextInternal context) {
    CloseFuture end = context.closeFuture();
    if (end == context.owner().closeFuture()) {
      return this;
    }
    ClosingScope own = verticles.computeIfAbsent(end, verticle -> {
      ClosingScope scope = new ClosingScope();
      // Removes the scope after its close, for which a close of the Rdma waits.
      Closeable hook = done -> scope.close().onComplete((v, cause) -> {
        verticles.remove(verticle);
        done.complete(v, cause);
      });
      scope.late = !verticle.add(hook);
      scope.closed = scope.late;
      return scope;
    });
    if (own.late) {
      verticles.remove(end, own);
    }
    return own;
  }

  public <T> Future<T> track(Future<T> call) {
    if (!call.isComplete()) {
      calls.add(call);
      call.onComplete(done -> calls.remove(call));
    }
    return call;
  }

  /** Succeeds when all calls tracked so far have succeeded or failed. */
  public Future<Void> idle() {
    return Future.join(List.copyOf(calls)).<Void>mapEmpty().otherwiseEmpty();
  }

  boolean isClosed() {
    return closed;
  }

  void add(RdmaConnectionImpl connection) {
    connections.add(connection);
    if (parent != null) {
      parent.of(connection.context()).add(connection);
    }
    if (closed) {
      connection.context().runOnContext(v -> connection.shutdown());
    }
  }

  void remove(RdmaConnectionImpl connection) {
    connections.remove(connection);
    if (parent != null) {
      parent.of(connection.context()).remove(connection);
    }
  }

  /** Returns a task that removes the resource. */
  public Runnable add(Supplier<Future<Void>> other) {
    closeables.add(other);
    if (closed) {
      other.get();
    }
    return () -> closeables.remove(other);
  }

  public MemoryRegion add(OwnedRegion region) {
    regions.add(region);
    region.whenClosed(() -> regions.remove(region));
    if (closed) {
      region.close();
    }
    return region;
  }

  /** Closes servers first, so that no connection is added, then connections with their close timeout, then regions. */
  public Future<Void> close() {
    return close(RdmaConnectionImpl::shutdown);
  }

  Future<Void> shutdown(Duration timeout) {
    return close(connection -> connection.shutdown(timeout));
  }

  private Future<Void> close(Function<RdmaConnectionImpl, Future<Void>> ending) {
    closed = true;
    List<Future<Void>> closing = new ArrayList<>();
    closeables.forEach(other -> closing.add(other.get()));
    connections.forEach(connection -> closing.add(ending.apply(connection)));
    verticles.values().forEach(verticle -> closing.add(verticle.close(ending)));
    return Future.join(closing).transform(v -> Future.join(regions.stream().map(OwnedRegion::close).toList())).otherwiseEmpty().mapEmpty();
  }
}
