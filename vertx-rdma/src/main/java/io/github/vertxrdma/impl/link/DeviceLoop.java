package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.events.RetryEvent;
import io.github.vertxrdma.impl.loop.CompletionHandler;
import io.github.vertxrdma.impl.loop.CompletionPoller;
import io.github.vertxrdma.impl.loop.PeerBell;
import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.impl.memory.Requests;
import io.github.vertxrdma.impl.memory.SlotPool;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One device on one event loop: its completion queue, its links, their turns, and the {@link LoopMemory} that they share. Confined to the
 * loop unless said otherwise.
 */
public final class DeviceLoop implements CompletionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceLoop.class);
  /** Receives of all endpoints that have queues of their own: 512 MiB of them. */
  private static final int OWN_RECEIVES = 1 << 15;
  private static final int QUEUE_DEPTH = 1 << 14;
  private static final int SEND_DEPTH = 128;
  private static final int DOORBELLS = 1024;
  /** Retries at once before the millisecond timer takes over. */
  private static final int QUICK_RETRIES = 32;

  final EventLoop loop;
  final Domain domain;
  final Capabilities capabilities;
  final LinkOptions options;
  final int prefix;
  /** Whether all peers share one endpoint: a key is then valid for them beyond the end of a link. */
  final boolean sharedEndpoint;
  final LinkWatcher watcher;
  final LoopMemory memory;
  private final ContextInternal context;
  private final CompletionQueue queue;
  private final Requests requests = new Requests();
  private final Map<Endpoint, Link> links = new HashMap<>();
  /** The link that a completion was for last. */
  private Link recent;
  private final ArrayList<Link> dirty = new ArrayList<>();
  private final ArrayDeque<Link> waiting = new ArrayDeque<>();
  private final ArrayList<PeerBell> toRing = new ArrayList<>();
  /** Links that are being made and wake their peers for it. */
  private final ArrayList<LinkBell> calling = new ArrayList<>();
  private final PeerBells bells = new PeerBells();
  /** Doorbells that peers told, by the address they were connected to. */
  private final Map<EndpointAddress, byte[]> doorbells = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<EndpointAddress, byte[]> eldest) {
      return size() > DOORBELLS;
    }
  };
  private final ArrayList<Receives> toRepost = new ArrayList<>();
  private final List<Link> quarantined = new ArrayList<>();
  private final Set<Link> watched = new HashSet<>();
  private final ArrayDeque<Transfer> transfers = new ArrayDeque<>();
  private CompletionPoller poller;
  private Receives shared;
  private EndpointOptions endpointOptions;
  private FabricChoice choice;
  private io.netty.util.concurrent.Future<?> watchTimer;
  /** Between two looks at the watched links, and when the last one was. */
  private long watchMillis;
  private long watchedAt;
  /** When this process was last seen to have stood still, and for how long. */
  private long stillAt;
  private long stillMillis;
  /** What {@link SourceLease} goes by, and who looks whether this process stood still; tests have their own. */
  LongSupplier clock = System::nanoTime;
  /** Links that are over and whose source memory is kept as it is. */
  private int kept;
  final Counters past = new Counters();
  /** How long one-sided operations take. */
  final LatencyHistogram oneSided = new LatencyHistogram();
  private int retries;
  long retried;
  /** Receives granted to links beyond what they began with, see {@link Window}. */
  int widened;
  /** Receives that links with queues of their own began with. */
  private int ownReceives;
  long opened;
  long lost;
  private boolean retryScheduled;
  private boolean inTurn;
  private boolean closed;

  private DeviceLoop(ContextInternal context, Domain domain, LinkOptions options, CompletionQueue queue,
    LinkWatcher watcher) {
    this.watcher = watcher;
    this.context = context;
    this.loop = context.nettyEventLoop();
    this.domain = domain;
    this.capabilities = domain.capabilities();
    this.options = options;
    this.prefix = capabilities.messagePrefix();
    this.sharedEndpoint = capabilities.sharedReceiveOnly();
    this.queue = queue;
    this.memory = new LoopMemory(domain, options, requests, this::register, this::grown);
  }

  /**
   * Opens it: registers the first memory off the loop, then polls on the context's event loop. Any thread.
   *
   * @param watcher hears of its links
   */
  public static Future<DeviceLoop> open(ContextInternal context, Domain domain, LinkOptions options, LinkWatcher watcher) {
    return context.<DeviceLoop>executeBlockingInternal(() -> {
      SlotPool.Slab slab = LoopMemory.allocateSends(domain, options);
      try {
        int depth = Math.min(QUEUE_DEPTH, domain.limits().completionQueueDepth());
        DeviceLoop device = new DeviceLoop(context, domain, options, domain.createCompletionQueue(depth), watcher);
        device.memory.sendSlots.add(slab);
        return device;
      } catch (RuntimeException e) {
        slab.close();
        throw e;
      }
    }).compose(device -> CompletionPoller.attach(device.loop, device.queue, device.capabilities.progress(), device)
      .compose(poller -> device.attached(poller)));
  }

  private Future<DeviceLoop> attached(CompletionPoller attached) {
    poller = attached;
    if (!capabilities.sharedReceiveOnly()) {
      return Future.succeededFuture(this);
    }
    int reserve = capabilities.reservedReceives();
    return memory.reserveReceives(reserve).map(v -> {
      int depth = domain.limits().receiveDepth();
      shared = new Receives(this, domain.createSharedReceiveQueue(queue, depth), reserve);
      memory.receiveSlots.unreserve(reserve);
      if (!shared.post(shared.promise(0))) {
        throw new RdmaException(Reason.LIMIT,
          domain.device().name() + " takes only " + depth + " receives, " + reserve + " are its own need");
      }
      return this;
    });
  }

  /** Its event loop; any thread. */
  public EventLoop eventLoop() {
    return loop;
  }

  /** Its context; any thread. */
  public ContextInternal context() {
    return context;
  }

  /** The device's domain; any thread. */
  public Domain domain() {
    return domain;
  }

  /** Sizes; any thread. */
  public LinkOptions options() {
    return options;
  }

  CompletionQueue queue() {
    return queue;
  }

  /** Links that are not over. */
  public int links() {
    return links.size();
  }

  // ---- memory

  /** Memory for a message to be sent: registered, or of the heap if it is short or there is no room. On the loop. */
  public Future<ByteBuf> outgoing(int size) {
    return memory.lendOutgoing(size);
  }

  private Future<SlotPool.Slab> register(Callable<SlotPool.Slab> registration) {
    return context.executeBlockingInternal(registration).compose(slab -> {
      Promise<SlotPool.Slab> there = Promise.promise();
      loop.execute(() -> there.complete(slab));
      return there.future();
    });
  }

  /** @param failure why links have no memory at all; null if those that wait for some may go on */
  private void grown(Throwable failure) {
    if (failure != null) {
      failed(failure);
    }
    poller.wake();
  }

  Transfer transfer() {
    Transfer t = transfers.poll();
    if (t == null) {
      t = new Transfer();
      requests.add(t);
    }
    return t;
  }

  void recycle(Transfer t) {
    t.used();
    transfers.push(t);
  }

  // ---- links

  EndpointOptions endpointOptions() {
    // Where registered memory is not pinned nothing but memory bounds a queue.
    int receives = capabilities.pinned() ? options.receives()
      : Math.min(options.receives() + Window.most(options), Math.max(options.receives(), domain.limits().receiveDepth()));
    EndpointOptions wanted = new EndpointOptions().withDepths(Math.min(SEND_DEPTH, domain.limits().sendDepth()), receives);
    return shared == null ? wanted : wanted.withReceiveQueue(shared.queue());
  }

  /** The same with another time to connect; all links that have it share the object. */
  EndpointOptions endpointOptions(int connectTimeoutMillis) {
    if (endpointOptions == null) {
      endpointOptions = endpointOptions();
    }
    if (endpointOptions.connectTimeoutMillis() != connectTimeoutMillis) {
      endpointOptions = endpointOptions.withConnectTimeoutMillis(connectTimeoutMillis);
    }
    return endpointOptions;
  }

  Receives shared() {
    return shared;
  }

  /** Sets aside what one more link needs, registering memory off the loop if need be. */
  Future<Reservation> reserve() {
    if (shared == null) {
      Grant grant = Grant.of(options, ownReceives, OWN_RECEIVES);
      ownReceives += grant.receives();
      return reserve(new Reservation(grant, grant.receives()));
    }
    Grant grant = Grant.of(options, shared.granted(), shared.capacity());
    if (shared.left() < grant.receives()) {
      return Future.failedFuture(new RdmaException(Reason.LIMIT, "no room for another connection on " + domain.device().name()
        + ": the receive queue of this event loop holds " + shared.capacity() + ", " + shared.granted() + " are granted to " + links.size()
        + " connections and one more needs " + grant.receives() + "; close some, or use more event loops (maxRdmLoops)"));
    }
    return reserve(new Reservation(grant, shared.promise(grant.receives())));
  }

  private Future<Reservation> reserve(Reservation reservation) {
    return memory.reserveReceives(reservation.slots()).map(reservation).onFailure(cause -> withdraw(reservation));
  }

  /** The link is not made, and the slots are not set aside. */
  private void withdraw(Reservation reservation) {
    if (shared == null) {
      ungrant(reservation.grant());
    } else {
      shared.withdraw(reservation.grant().receives(), reservation.slots());
    }
  }

  /** No link was made of it. */
  void cancel(Reservation reservation) {
    memory.receiveSlots.unreserve(reservation.slots());
    withdraw(reservation);
  }

  /** A link is gone. */
  void ungrant(Grant grant) {
    if (shared == null) {
      ownReceives -= grant.receives();
    } else {
      shared.ungrant(grant.receives());
    }
  }

  Link link(Endpoint endpoint) {
    // Completions of one link come in a row.
    Link last = recent;
    return last != null && last.endpoint == endpoint ? last : (recent = links.get(endpoint));
  }

  void add(Link link) {
    links.put(link.endpoint, link);
  }

  void opened() {
    opened++;
  }

  /** @param broke whether it was open and broke */
  void forget(Link link, boolean broke) {
    recent = null;
    if (links.remove(link.endpoint) != null) {
      past.add(link.counters);
      lost += broke ? 1 : 0;
    }
    watched.remove(link);
  }

  /** The choice, or the one before if it was the same: most connections of a loop have it in common. On the loop. */
  public FabricChoice choice(FabricChoice made) {
    if (!made.equals(choice)) {
      choice = made;
    }
    return choice;
  }

  /** Measures how long the peer of each link takes to answer; the next {@link #statistics} tell. On the loop. */
  public void measureRoundTrips() {
    // A copy: one that cannot be asked goes.
    List.copyOf(links.values()).forEach(link -> link.pulse.measureRoundTrip());
  }

  /** How it stands; on the loop. */
  public DeviceStatistics statistics() {
    return LoopStatistics.of(this, links.values());
  }

  void destroyed(Link link) {
    dirty.remove(link);
    waiting.remove(link);
  }

  /** Its endpoint is gone but the fabric still owns memory of it. */
  void quarantine(Link link) {
    quarantined.add(link);
    link.sender.quarantined();
    link.transfers.quarantined();
  }

  /** Source memory of a link that is over stays as it is while its peer may take what it reads there for the link's. */
  void keep(Runnable release) {
    kept++;
    loop.schedule(() -> {
      kept--;
      release.run();
      // There may be links that wait for it.
      poller.wake();
    }, SourceLease.KEPT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** What peers need to wake this loop. */
  byte[] doorbell() {
    return poller.doorbell();
  }

  PeerBells bells() {
    return bells;
  }

  Map<EndpointAddress, byte[]> doorbells() {
    return doorbells;
  }

  /** It wakes its peer at the end of turns until it has been answered. */
  void calling(LinkBell bell) {
    calling.add(bell);
    poller.wake();
  }

  /** So many peers more, or fewer, cannot wake it. */
  void unringable(int change) {
    poller.unringable(change);
  }

  /** So many connections more, or fewer, want it to poll and never sleep. */
  public void busy(int change) {
    poller.busy(change);
  }

  /** Something changed: it gets its turn end. */
  void dirty(Link link) {
    if (!link.isDirty) {
      link.isDirty = true;
      dirty.add(link);
    }
    if (!inTurn) {
      poller.wake();
    }
  }

  /** It waits for slots or completions. */
  void waiting(Link link) {
    if (!link.isWaiting) {
      link.isWaiting = true;
      waiting.add(link);
    }
  }

  /** The fabric was busy: it is asked again soon, even if nothing completes. */
  void again(Link link) {
    waiting(link);
    if (!retryScheduled) {
      retryScheduled = true;
      retried++;
      if (retries++ < QUICK_RETRIES) {
        loop.execute(this::retry);
      } else {
        loop.schedule(this::retry, 1, TimeUnit.MILLISECONDS);
        RetryEvent.tell(domain.device().name(), retried);
      }
    }
  }

  private void retry() {
    retryScheduled = false;
    if (!closed) {
      poller.wake();
    }
  }

  /** Something was posted to a peer. @param bell null if the fabric wakes it */
  void posted(PeerBell bell) {
    retries = 0;
    if (bell != null && (toRing.isEmpty() || toRing.getLast() != bell)) {
      toRing.add(bell);
    }
    if (!inTurn) {
      poller.wake();
    }
  }

  void repost(Receives receives) {
    if (!toRepost.contains(receives)) {
      toRepost.add(receives);
    }
  }

  // ---- turns

  @Override
  public void completions(CompletionBatch batch) {
    inTurn = true;
    for (int i = 0, n = batch.size(); i < n; i++) {
      if (batch.operation(i) == Operation.REMOTE_WRITE) {
        continue;
      }
      Request request = requests.find(batch.requestId(i));
      if (request != null) {
        request.completed(batch, i);
      } else if (batch.status(i) != Status.OK) {
        // An inline send that nobody tracks.
        Link link = batch.endpoint(i) == null ? null : link(batch.endpoint(i));
        if (link != null && batch.status(i) != Status.FLUSHED) {
          link.failed(batch.status(i), "a send failed", batch.error(i));
        }
      }
    }
  }

  @Override
  public void turnEnd() {
    inTurn = true;
    try {
      for (int i = toRepost.size() - 1; i >= 0; i--) {
        if (toRepost.get(i).repost()) {
          toRepost.remove(i);
        }
      }
      for (int i = waiting.size(); i > 0; i--) {
        Link link = waiting.poll();
        link.isWaiting = false;
        dirty(link);
      }
      for (int i = 0; i < dirty.size(); i++) {
        Link link = dirty.get(i);
        link.isDirty = false;
        link.turnEnd();
      }
      dirty.clear();
      for (int i = 0; i < toRing.size(); i++) {
        toRing.get(i).ring();
      }
      toRing.clear();
      if (!calling.isEmpty()) {
        long time = System.nanoTime();
        calling.removeIf(bell -> !bell.callAgain(time));
      }
      if (!quarantined.isEmpty()) {
        quarantined.removeIf(Link::releaseIfDone);
      }
    } finally {
      inTurn = false;
    }
  }

  @Override
  public void sleepsWaiting() {
    links.values().forEach(link -> link.bell().waitFor());
  }

  @Override
  public void peersWait() {
    bells.ringWaiting();
  }

  @Override
  public void failed(Throwable cause) {
    List.copyOf(links.values()).forEach(link -> link.fail(cause));
  }

  /** Peers whose death no event tells are asked from time to time. */
  void watch(Link link) {
    watched.add(link);
    if (watchTimer == null) {
      watchMillis = Math.max(50, options.suspectMillis() / 4);
      watchedAt = clock.getAsLong();
      watchTimer = loop.scheduleAtFixedRate(() -> {
        long now = clock.getAsLong();
        boolean still = noteStill(now);
        watchedAt = now;
        long time = System.nanoTime();
        for (Link each : List.copyOf(watched)) {
          if (still) {
            // This process was paused: what peers said meanwhile is still to be read.
            each.pulse.forgive(time);
          } else {
            each.pulse.check(time);
          }
        }
      }, watchMillis, watchMillis, TimeUnit.MILLISECONDS);
    }
  }

  /** Whether this process, or its event loop, stood still since the last look. */
  private boolean noteStill(long time) {
    long gap = TimeUnit.NANOSECONDS.toMillis(time - watchedAt);
    if (gap <= watchMillis * 2 + options.suspectMillis() / 2) {
      return false;
    }
    stillAt = time;
    stillMillis = gap;
    return true;
  }

  /** For how long this process, or its event loop, stood still a moment ago; 0 if it did not, or no link is watched. */
  long stoodStillMillis() {
    long time = clock.getAsLong();
    if (watchTimer != null) {
      noteStill(time);
    }
    return stillMillis > 0 && TimeUnit.NANOSECONDS.toMillis(time - stillAt) < options.suspectMillis() ? stillMillis : 0;
  }

  /** Breaks what is open, stops polling and frees everything. */
  public Future<Void> close(Throwable cause) {
    if (closed) {
      return Future.succeededFuture();
    }
    closed = true;
    memory.stop();
    if (watchTimer != null) {
      watchTimer.cancel(false);
    }
    failed(cause);
    Promise<Void> done = Promise.promise();
    // After the tasks in which links destroy their endpoints.
    loop.execute(() -> afterKept(cause, () -> poller.detach().onComplete(d -> context.<Void>executeBlockingInternal(() -> {
      if (shared != null) {
        shared.queue().close();
      }
      queue.close();
      memory.close();
      return null;
    }).onComplete(ended -> {
      // With the queue nothing of a closed endpoint is outstanding any more.
      quarantined.forEach(link -> link.transfers.destroyed());
      quarantined.clear();
      int lent = memory.lent();
      if (lent > 0) {
        LOG.warn("Messages lent over " + domain.device().name() + " and not released when it closed: " + lent
          + "; their memory is freed with the last");
      }
      done.handle(ended);
    }))));
    return done.future();
  }

  /** Once no peer of a link that is over may read this side's memory. */
  private void afterKept(Throwable cause, Runnable next) {
    if (kept == 0) {
      next.run();
    } else {
      // What is kept is released before, in the order in which it was scheduled.
      loop.schedule(() -> {
        // What was being connected meanwhile.
        failed(cause);
        loop.execute(next);
      }, SourceLease.KEPT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
