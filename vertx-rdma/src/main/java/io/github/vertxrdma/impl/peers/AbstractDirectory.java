package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.ClosingEventLoops;
import io.github.vertxrdma.impl.poll.ClosingEventLoops.Phase;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Base class of directories. A subclass exchanges entries with other nodes. */
public abstract class AbstractDirectory implements DirectoryBackend {
  private static final Logger LOG = LoggerFactory.getLogger(AbstractDirectory.class);
  private static final long CLOSE_SECONDS = 3;
  /** Time after which a look-up is reported as late. */
  private static final long LATE_MILLIS = 1_000;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Set<NodeId> TAKEN = ConcurrentHashMap.newKeySet();

  protected final Vertx vertx;
  /** Context of this directory. Timers of a caller's context would end with its verticle, and be late while it blocks. */
  protected final ContextInternal loop;
  private final NodeId claimed;
  protected final DirectoryCache cache = new DirectoryCache();
  protected final BlockingCalls calls;
  private final Closeable closeHook = completion -> close().onComplete(completion);
  /** Entries of this node by key. Guarded by itself. */
  private final Map<String, DirectoryEntry> own = new LinkedHashMap<>();
  private final Set<Promise<?>> waiters = ConcurrentHashMap.newKeySet();
  private final Set<String> reported = ConcurrentHashMap.newKeySet();
  private volatile NodeEntry self;
  private volatile boolean closed;
  private final List<Consumer<Long>> epochWatches = new CopyOnWriteArrayList<>();
  private Future<Void> closing;

  private record NodeId(Object place, String id) {
  }

  /** Two directories of this process with equal places get different node ids. A {@code preferredId} of null is a random id. */
  protected AbstractDirectory(Vertx vertx, Object place, String preferredId) {
    this.vertx = vertx;
    // Uses the caller's event loop, without occupying another one.
    this.loop = ((VertxInternal) vertx).contextBuilder().withEventLoop(context().nettyEventLoop()).build();
    this.calls = new BlockingCalls(loop);
    String id = preferredId == null ? UUID.randomUUID().toString() : preferredId;
    NodeId free = new NodeId(place, id);
    // Claims the id last: if a line above throws, nothing releases it. Directories with the same id would mix up their entries.
    for (int n = 2; !TAKEN.add(free); n++) {
      free = new NodeId(place, id + '.' + n);
    }
    this.claimed = free;
    this.self = NodeEntry.local(free.id, newEpoch());
  }

  /** Opens the directory, and closes it if that fails. @param first called first, may block; null for none */
  protected final Future<DirectoryBackend> open(Callable<Void> first) {
    // Added after the construction, because a closing Vert.x would otherwise close an incomplete object.
    if (!ClosingEventLoops.add(vertx, Phase.CLUSTER, closeHook)) {
      return close().transform(v -> Future.failedFuture(closedException()));
    }
    return (first == null ? Future.<Void>succeededFuture() : calls.result(first)).<DirectoryBackend>map(this)
      .recover(cause -> close().transform(v -> Future.failedFuture(cause)));
  }

  /** Returns a random epoch, but not 0, which stands for an unknown epoch. */
  public static long newEpoch() {
    long epoch = RANDOM.nextLong();
    return epoch == 0 ? 1 : epoch;
  }

  /** Sends an entry to other nodes. Fails if it is a region whose name another living node uses ({@link #taken}). */
  protected abstract Future<Void> store(DirectoryEntry entry);

  protected abstract Future<Void> erase(DirectoryEntry entry);

  /** Sends an entry to nodes that {@link #store} does not reach. Called in the order of publications, with a lock held. */
  protected void announce(DirectoryEntry entry) {
  }

  protected void announceRemoval(DirectoryEntry entry) {
  }

  /** Called when a publication has failed, or has succeeded and is in the cache. */
  protected void publicationEnded(DirectoryEntry entry) {
  }

  protected abstract Future<Void> release();

  /** Sets the control connections of the node. Called once, before {@link ControlLinks#listen}. */
  public void attach(ControlLinks control) {
  }

  /** Called when a look-up starts to wait. The returned callback runs when it ends. */
  protected Runnable lookUp(Predicate<DirectoryEntry> wanted) {
    return () -> {};
  }

  @Override
  public final NodeEntry self() {
    return self;
  }

  @Override
  public final Future<Void> publish(DirectoryEntry entry) {
    synchronized (own) {
      Future<Void> refused = refusal(entry);
      if (refused != null) {
        return refused;
      }
      DirectoryEntry before = own.put(entry.key(), entry);
      NodeEntry selfBefore = self;
      if (entry instanceof NodeEntry node) {
        self = node;
      }
      // Holds the lock, so that publications and withdrawals keep their order.
      // After onComplete, callers might continue before the entry is in the cache, if the store answers on another thread.
      return store(entry).andThen(stored -> {
        stored(entry, stored.succeeded(), before, selfBefore);
        publicationEnded(entry);
      });
    }
  }

  private void stored(DirectoryEntry entry, boolean succeeded, DirectoryEntry before, NodeEntry selfBefore) {
    synchronized (own) {
      if (own.get(entry.key()) != entry) {
        return;
      }
      if (succeeded) {
        cache.put(entry);
        announce(entry);
        return;
      }
      // Nodes that connected meanwhile have the entry, and need the earlier one or the removal.
      if (before == null) {
        own.remove(entry.key());
        announceRemoval(entry);
      } else {
        own.put(entry.key(), before);
        announce(before);
      }
      if (self == entry) {
        self = selfBefore;
      }
    }
  }

  @Override
  public final Future<Void> withdraw(DirectoryEntry entry) {
    synchronized (own) {
      // After a rejoin, the published entry has a newer epoch than the argument.
      DirectoryEntry published = own.get(entry.key());
      if (published == null || entry instanceof RegionEntry region && ((RegionEntry) published).regionId() != region.regionId()) {
        return future(null);
      }
      own.remove(entry.key());
      cache.remove(published);
      return erase(published).timeout(CLOSE_SECONDS, TimeUnit.SECONDS).recover(cause -> cause instanceof TimeoutException
        ? Future.succeededFuture() : Future.failedFuture(cause));
    }
  }

  /** Removes a region whose name another node now has. Returns whether this node had published it. */
  protected final boolean leave(RegionEntry region) {
    synchronized (own) {
      if (!own.remove(region.key(), region)) {
        return false;
      }
      cache.remove(region);
      announceRemoval(region);
      return true;
    }
  }

  protected final List<DirectoryEntry> published() {
    synchronized (own) {
      return own.values().stream().sorted(Comparator.comparing(entry -> !(entry instanceof NodeEntry))).toList();
    }
  }

  /** Sets a new epoch after a rejoin: publishes the node and its services again, withdraws its regions, and calls the epoch handlers. */
  protected final Future<Void> renew() {
    long epoch = newEpoch();
    List<Future<?>> all = new ArrayList<>();
    synchronized (own) {
      List<DirectoryEntry> before = published();
      self = self.withEpoch(epoch);
      own.clear();
      for (DirectoryEntry entry : before) {
        switch (entry) {
          case NodeEntry node -> {
            self = node.withEpoch(epoch);
            all.add(renewed(self));
          }
          case ServiceEntry service -> all.add(renewed(service.withEpoch(epoch)));
          case RegionEntry region -> all.add(erase(region));
        }
      }
    }
    return Future.join(all).<Void>mapEmpty().onComplete(done -> epochWatches.forEach(watch -> watch.accept(epoch)));
  }

  private Future<Void> renewed(DirectoryEntry entry) {
    own.put(entry.key(), entry);
    // Treats a failure as success, because the subclass stores the entry later.
    return store(entry).andThen(done -> stored(entry, true, null, null));
  }

  @Override
  public final List<NodeEntry> nodes() {
    return cache.all(NodeEntry.class);
  }

  @Override
  public final Optional<NodeEntry> node(String nodeId) {
    return cache.node(nodeId);
  }

  @Override
  public final List<ServiceEntry> services() {
    return cache.all(ServiceEntry.class);
  }

  @Override
  public final List<ServiceEntry> services(String name) {
    return cache.services(name);
  }

  @Override
  public final List<ServiceEntry> servicesAt(int port) {
    return cache.servicesAt(port);
  }

  @Override
  public final List<RegionEntry> regions() {
    return cache.all(RegionEntry.class);
  }

  @Override
  public final Optional<RegionEntry> region(String name) {
    return cache.region(name);
  }

  @Override
  public final Future<List<ServiceEntry>> awaitServices(String name, Duration timeout) {
    return awaiting("service '" + name + '\'', timeout.toMillis(), () -> {
      List<ServiceEntry> instances = cache.services(name);
      return instances.isEmpty() ? Optional.empty() : Optional.of(instances);
    }, entry -> entry instanceof ServiceEntry service && service.name().equals(name));
  }

  @Override
  public final Future<RegionEntry> awaitRegion(String name, Duration timeout) {
    return awaiting("region '" + name + '\'', timeout.toMillis(), () -> cache.region(name),
      entry -> entry instanceof RegionEntry region && region.name().equals(name));
  }

  @Override
  public final Future<NodeEntry> awaitNode(String nodeId, Duration timeout) {
    return awaiting("node '" + nodeId + '\'', timeout.toMillis(), () -> cache.node(nodeId),
      entry -> entry instanceof NodeEntry node && node.nodeId().equals(nodeId));
  }

  @Override
  public final DirectoryWatch watch(Handler<DirectoryEvent> handler) {
    return watch(handler, cache::addListener, cache::removeListener);
  }

  @Override
  public final DirectoryWatch watchEpoch(Handler<Long> handler) {
    return watch(handler, epochWatches::add, epochWatches::remove);
  }

  private <T> DirectoryWatch watch(Handler<T> handler, Consumer<Consumer<T>> add, Consumer<Consumer<T>> remove) {
    Context context = vertx.getOrCreateContext();
    AtomicBoolean unwatched = new AtomicBoolean();
    Consumer<T> listener = event -> LoopCall.execute(context, () -> {
      if (!unwatched.get()) {
        handler.handle(event);
      }
    });
    add.accept(listener);
    return () -> {
      unwatched.set(true);
      remove.accept(listener);
    };
  }

  @Override
  public final void declareDead(String nodeId, long epoch) {
    if (epoch != 0 && !(nodeId.equals(nodeId()) && epoch == epoch())) {
      cache.declareDead(nodeId, epoch);
    }
  }

  @Override
  public final Future<Void> close() {
    synchronized (own) {
      if (closing == null) {
        closed = true;
        List<Future<?>> all = new ArrayList<>();
        published().reversed().forEach(entry -> all.add(erase(entry)));
        own.clear();
        Future<Void> released = release();
        closing = Future.join(all).transform(erased -> released).timeout(CLOSE_SECONDS, TimeUnit.SECONDS).andThen(done -> {
          cache.clear();
          waiters.forEach(waiter -> waiter.tryFail(closedException()));
          TAKEN.remove(claimed);
          ClosingEventLoops.remove(vertx, closeHook);
        });
      }
      return closing;
    }
  }

  protected final boolean isClosed() {
    return closed;
  }

  private RdmaException closedException() {
    return new RdmaException(Reason.CLOSED, "the " + type() + " directory of node " + nodeId() + " is closed");
  }

  final ContextInternal context() {
    return ((VertxInternal) vertx).getOrCreateContext();
  }

  protected final Future<Void> future(Throwable failure) {
    return failure == null ? context().succeededFuture() : context().failedFuture(failure);
  }

  /** @param lookUp called at every change; must be fast and take no lock */
  final <T> Future<T> awaiting(String what, long timeoutMillis, Supplier<Optional<T>> lookUp, Predicate<DirectoryEntry> wanted) {
    ContextInternal context = context();
    if (closed) {
      return context.failedFuture(closedException());
    }
    Promise<T> promise = LoopCall.promise(context);
    lookUp.get().ifPresent(promise::tryComplete);
    Future<T> found = promise.future();
    if (found.isComplete()) {
      return found;
    }
    // Completed in a later task, because the cache is locked.
    Consumer<DirectoryEvent> listener = event -> lookUp.get()
      .ifPresent(value -> LoopCall.execute(context, () -> promise.tryComplete(value)));
    waiters.add(promise);
    // The cache calls the new listener with all entries.
    cache.addListener(listener);
    // Timers of the context would end with its verticle, and be late while it blocks.
    ScheduledFuture<?> timer = context.nettyEventLoop()
      .schedule(() -> promise.tryFail(timeout(what, timeoutMillis)), Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
    ScheduledFuture<?> hint = context.nettyEventLoop().schedule(() -> stillMissing(what, wanted), LATE_MILLIS, TimeUnit.MILLISECONDS);
    Runnable end = lookUp(wanted);
    return found.onComplete(done -> {
      timer.cancel(false);
      hint.cancel(false);
      cache.removeListener(listener);
      waiters.remove(promise);
      end.run();
    });
  }

  private void stillMissing(String what, Predicate<DirectoryEntry> wanted) {
    LookupFailure.groupsWith(this, wanted).onSuccess(groups -> {
      if (!groups.isEmpty() && reported.add(what)) {
        LOG.info(what + " has not appeared in the " + where() + ", for " + LATE_MILLIS + " ms" + LookupFailure.groups(groups));
      }
    });
  }

  private TimeoutException timeout(String what, long millis) {
    String known = nodes().stream().map(NodeEntry::nodeId).filter(id -> !id.equals(nodeId())).collect(Collectors.joining(", "));
    return new TimeoutException(what + " did not appear in the " + where() + ", within " + millis + " ms; other nodes there: "
      + (known.isEmpty() ? "none" : known));
  }

  private Future<Void> refusal(DirectoryEntry entry) {
    if (closed) {
      return future(closedException());
    }
    NodeEntry me = self;
    if (!entry.nodeId().equals(me.nodeId()) || entry.epoch() != me.epoch()) {
      return future(new IllegalArgumentException("node " + me.nodeId() + ", epoch " + Long.toHexString(me.epoch()) + ", cannot publish "
        + "an entry of another node or an earlier epoch: node " + entry.nodeId() + " epoch " + Long.toHexString(entry.epoch())));
    }
    return entry instanceof RegionEntry region && own.get(region.key()) instanceof RegionEntry existing
      && existing.regionId() != region.regionId() ? future(taken(region, me.nodeId())) : null;
  }

  @Override
  public String toString() {
    return where();
  }

  protected static IllegalStateException taken(RegionEntry region, String owner) {
    return new IllegalStateException("region '" + region.name() + "' is already shared by node " + owner + ". Choose another name, "
      + "or close that region first");
  }
}
