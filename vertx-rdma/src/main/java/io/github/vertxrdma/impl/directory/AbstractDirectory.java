package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.loop.ClosingEventLoops;
import io.github.vertxrdma.impl.loop.ClosingEventLoops.Phase;
import io.github.vertxrdma.impl.loop.Told;
import io.vertx.core.Closeable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Base of all directories: the cache, waiting, watching, and this node's own entries. A subclass carries entries to other nodes. */
public abstract class AbstractDirectory implements DirectoryBackend {
  /** The time for which a directory that is cut off, or waits for a dead member, may hold up a withdrawal or close. */
  private static final long CLOSE_SECONDS = 3;
  private static final SecureRandom RANDOM = new SecureRandom();

  protected final Vertx vertx;
  /** An event loop's context of the directory's own: timers of the opener's end with its verticle, and wait for it where it blocks. */
  protected final ContextInternal loop;
  private final Object place;
  protected final DirectoryCache cache = new DirectoryCache();
  /** The thread on which a directory blocks. */
  protected final ControlThread thread;
  private final Closeable closeHook = completion -> close().onComplete(completion);
  /** This node's published entries by key; guarded by itself. */
  private final Map<String, DirectoryEntry> own = new LinkedHashMap<>();
  private final Set<Waiter<?>> waiters = ConcurrentHashMap.newKeySet();
  private volatile NodeEntry self;
  private volatile boolean closed;
  private final List<EpochWatch> epochWatches = new CopyOnWriteArrayList<>();
  private Future<Void> closing;

  /** Listeners for a new epoch, and their contexts. */
  private record EpochWatch(Context context, Handler<Long> handler) {
  }

  /**
   * @param place where the entries are stored; two directories of this process with equal ones get different node ids
   * @param preferredId the node's id, if no other directory has it
   */
  protected AbstractDirectory(Vertx vertx, Object place, String preferredId) {
    String nodeId = NodeIds.claim(place, preferredId);
    this.place = place;
    this.vertx = vertx;
    VertxInternal owner = (VertxInternal) vertx;
    // Takes no turn of the event loops: that is its node's.
    this.loop = owner.contextBuilder().withEventLoop(owner.getOrCreateContext().nettyEventLoop()).build();
    this.thread = new ControlThread(vertx, "vertx-rdma-directory-" + nodeId);
    this.self = NodeEntry.local(nodeId, newEpoch());
  }

  /** Does on the directory's thread what opening takes. A directory that it fails for is closed, and so are its node id and hooks. */
  protected final Future<DirectoryBackend> open(Callable<Void> first) {
    // Only now: a Vert.x that is closed meanwhile would close half of what is being made.
    if (!ClosingEventLoops.add(vertx, Phase.CLUSTER, closeHook)) {
      return close().transform(v -> Future.failedFuture(over()));
    }
    return thread.call(first).<DirectoryBackend>map(this).recover(cause -> close().transform(v -> Future.failedFuture(cause)));
  }

  /** A random epoch; never 0, which means unknown. */
  public static long newEpoch() {
    long epoch = RANDOM.nextLong();
    return epoch == 0 ? 1 : epoch;
  }

  /** Carries an entry of this node to the others; refuses a region whose name a living region of another node has ({@link #taken}). */
  protected abstract Future<Void> store(DirectoryEntry entry);

  /** Takes an entry of this node away. */
  protected abstract Future<Void> erase(DirectoryEntry entry);

  /** Tells others, who do not see the store, of an entry in it. With the lock held: they hear of all changes in order. */
  protected void tell(DirectoryEntry entry) {
  }

  /** Tells them that an entry is not this node's any more; likewise. */
  protected void tellRemoval(DirectoryEntry entry) {
  }

  /** Frees what the directory holds, once it has erased what it was told to. */
  protected abstract Future<Void> release();

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
        self = node; // at once, so that the next change starts from this one
      }
      // With the lock held: a withdrawal comes before it or after it, in the store too.
      return store(entry).onComplete(stored -> stored(entry, stored.succeeded(), before, selfBefore));
    }
  }

  private void stored(DirectoryEntry entry, boolean succeeded, DirectoryEntry before, NodeEntry selfBefore) {
    synchronized (own) {
      if (own.get(entry.key()) != entry) {
        return; // withdrawn or replaced meanwhile
      }
      if (succeeded) {
        cache.put(entry);
        tell(entry);
        return;
      }
      // Others who came meanwhile were told of all that is published.
      if (before == null) {
        own.remove(entry.key());
        tellRemoval(entry);
      } else {
        own.put(entry.key(), before);
        tell(before);
      }
      if (self == entry) {
        self = selfBefore;
      }
    }
  }

  @Override
  public final Future<Void> withdraw(DirectoryEntry entry) {
    synchronized (own) {
      // A rejoin may have published it anew under another epoch; another region may have its name now.
      DirectoryEntry published = own.get(entry.key());
      if (published == null || entry instanceof RegionEntry region && ((RegionEntry) published).regionId() != region.regionId()) {
        return future(null);
      }
      own.remove(entry.key());
      cache.remove(published);
      // A withdrawal that takes longer is done when the directory can; whoever shared it need not stay for that.
      return erase(published).timeout(CLOSE_SECONDS, TimeUnit.SECONDS).recover(cause -> cause instanceof TimeoutException
        ? Future.succeededFuture() : Future.failedFuture(cause));
    }
  }

  /** A region's name has become another node's: it is not this one's to store any more, nor to take away. */
  protected final void leave(RegionEntry region) {
    synchronized (own) {
      if (own.remove(region.key(), region)) {
        cache.remove(region);
      }
    }
  }

  /** This node's published entries, the node first. */
  protected final List<DirectoryEntry> published() {
    synchronized (own) {
      List<DirectoryEntry> entries = new ArrayList<>(own.values());
      entries.sort((a, b) -> Boolean.compare(b instanceof NodeEntry, a instanceof NodeEntry));
      return entries;
    }
  }

  /**
   * Takes a new epoch: after a rejoin nothing of the old one may be seen again. Publishes node and services anew, withdraws regions and
   * tells who watches the epoch. Node and services that cannot be stored stay {@link #published}: the subclass stores them later.
   */
  protected final Future<Void> renew() {
    long epoch = newEpoch();
    List<Future<?>> all = new ArrayList<>();
    // In one step: what is withdrawn meanwhile stays withdrawn, and what is published is of this epoch.
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
    return Future.join(all).<Void>mapEmpty().onComplete(done -> epochWatches.forEach(watch -> Told.run(watch.context, () -> {
      if (epochWatches.contains(watch)) {
        watch.handler.handle(epoch);
      }
    })));
  }

  /** Stores an entry under the new epoch. It stays this node's if that fails, since nobody would publish it again. */
  private Future<Void> renewed(DirectoryEntry entry) {
    own.put(entry.key(), entry);
    return store(entry).onComplete(done -> {
      synchronized (own) {
        if (own.get(entry.key()) == entry) {
          cache.put(entry);
          tell(entry);
        }
      }
    });
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
    });
  }

  @Override
  public final Future<RegionEntry> awaitRegion(String name, Duration timeout) {
    return awaiting("region '" + name + '\'', timeout.toMillis(), () -> cache.region(name));
  }

  @Override
  public final Future<NodeEntry> awaitNode(String nodeId, Duration timeout) {
    return awaiting("node '" + nodeId + '\'', timeout.toMillis(), () -> cache.node(nodeId));
  }

  @Override
  public final DirectoryWatch watch(Handler<DirectoryEvent> handler) {
    Context context = vertx.getOrCreateContext();
    AtomicBoolean over = new AtomicBoolean();
    Consumer<DirectoryEvent> listener = event -> Told.run(context, () -> {
      // Asked there: what was on its way when the watch was closed is not heard any more.
      if (!over.get()) {
        handler.handle(event);
      }
    });
    cache.addListener(listener);
    return () -> {
      over.set(true);
      cache.removeListener(listener);
    };
  }

  @Override
  public final DirectoryWatch watchEpoch(Handler<Long> handler) {
    EpochWatch watch = new EpochWatch(vertx.getOrCreateContext(), handler);
    epochWatches.add(watch);
    return () -> epochWatches.remove(watch);
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
        // A directory that is cut off cannot withdraw: the other nodes see that this one left.
        Future<Void> released = release();
        closing = Future.join(all).transform(erased -> released).timeout(CLOSE_SECONDS, TimeUnit.SECONDS).onComplete(done -> {
          cache.clear();
          waiters.forEach(waiter -> waiter.fail(over()));
          thread.close();
          NodeIds.release(place, nodeId());
          ClosingEventLoops.remove(vertx, closeHook);
        });
      }
      return closing;
    }
  }

  protected final boolean isClosed() {
    return closed;
  }

  private RdmaException over() {
    return new RdmaException(Reason.CLOSED, "the " + type() + " directory of node " + nodeId() + " is closed");
  }

  /** A future on the caller's context; succeeded if the failure is null. */
  protected final Future<Void> future(Throwable failure) {
    ContextInternal context = ((VertxInternal) vertx).getOrCreateContext();
    return failure == null ? context.succeededFuture() : context.failedFuture(failure);
  }

  private <T> Future<T> awaiting(String what, long timeoutMillis, Supplier<Optional<T>> lookUp) {
    if (closed) {
      return ((VertxInternal) vertx).getOrCreateContext().failedFuture(over());
    }
    Waiter<T> waiter = new Waiter<>(vertx, cache, lookUp);
    waiters.add(waiter);
    return waiter.start(timeoutMillis, () -> timeout(what, timeoutMillis)).onComplete(done -> waiters.remove(waiter));
  }

  private TimeoutException timeout(String what, long millis) {
    String known = nodes().stream().map(NodeEntry::nodeId).collect(Collectors.joining(", "));
    return new TimeoutException(what + " did not appear in the " + where() + ", within " + millis + " ms; nodes it knows: "
      + (known.isEmpty() ? "none" : known));
  }

  /** Why an entry cannot be published, as a failed future; null if it can. With the lock held. */
  private Future<Void> refusal(DirectoryEntry entry) {
    if (closed) {
      return future(over());
    }
    NodeEntry me = self;
    if (!entry.nodeId().equals(me.nodeId()) || entry.epoch() != me.epoch()) {
      return future(new IllegalArgumentException("node " + me.nodeId() + " epoch " + EntryJson.hex(me.epoch())
        + " cannot publish an entry of node " + entry.nodeId() + " epoch " + EntryJson.hex(entry.epoch())));
    }
    return entry instanceof RegionEntry region && own.get(region.key()) instanceof RegionEntry mine
      && mine.regionId() != region.regionId() ? future(taken(region, me.nodeId())) : null;
  }

  /** Why a region is not this node's any more. */
  protected static String takenMeanwhile(RegionEntry region, String owner) {
    return "Region '" + region.name() + "' of node " + region.nodeId() + ", which was taken for dead, is shared by node " + owner
      + " now: share it anew under another name";
  }

  /** Why a region cannot be published. */
  protected static IllegalStateException taken(RegionEntry region, String owner) {
    return new IllegalStateException("region '" + region.name() + "' is shared by node " + owner + " already; choose another name or"
      + " revoke that one first");
  }
}
