package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.loop.CompletionHandler;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.loop.PeerWaker;
import io.github.vertxrdma.impl.loop.QueuePoller;
import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.impl.memory.Requests;
import io.github.vertxrdma.impl.memory.SlotPool;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One device on one loop: its completion queue and the endpoints on it, with the turns, the receives, the memory and the wake-ups that they
 * share. An error in handling one completion ends the endpoint that it is for, and no other. Confined to the loop unless said otherwise.
 */
public final class DeviceLoop implements CompletionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceLoop.class);
  private static final int QUEUE_DEPTH = 1 << 14;
  private static final int SEND_DEPTH = 128;
  /** Bytes of a frame that an endpoint should send inline: its adapter need not fetch a short message, nor report that it was sent. */
  private static final int INLINE_SIZE = 128;

  public final LoopHost host;
  public final Domain domain;
  public final Capabilities capabilities;
  public final LoopOptions options;
  /** Bytes at the start of each message that are the provider's. */
  public final int prefix;
  /** True where all peers share one endpoint: a key is then valid for them beyond the end of a link. */
  public final boolean sharedEndpoint;
  public final LoopMemory memory;
  public final ReceiveBudget budget;
  public final Liveness liveness;
  public final Afterlife afterlife;
  /** Payload of the control frame that is being handled: its receive is posted again before. */
  public final MemorySegment scratch;
  /** Time that one-sided operations take. */
  public final LatencyHistogram oneSided = new LatencyHistogram();
  final Turn turn;
  final PeerWakers wakers = new PeerWakers();
  final Counters past = new Counters();
  long opened;
  long lost;
  long deferred;
  private final CompletionQueue queue;
  private final Requests requests = new Requests();
  private final Map<Endpoint, LoopEndpoint> endpoints = new LinkedHashMap<>();
  /** Endpoint that a completion was for last. */
  private LoopEndpoint recent;
  private Endpoint recentEndpoint;
  /** Endpoints that are being connected and wake their peers for it. */
  private final List<EndpointWaker> calling = new ArrayList<>();
  private final ArrayDeque<RmaRequest> rmaRequests = new ArrayDeque<>();
  private QueuePoller poller;
  private EndpointOptions endpointOptions;
  private FabricChoice choice;
  private Promise<Void> closed;

  private DeviceLoop(LoopHost host, Domain domain, LoopOptions options, CompletionQueue queue) {
    this.host = host;
    this.domain = domain;
    this.capabilities = domain.capabilities();
    this.options = options;
    this.prefix = capabilities.messagePrefix();
    this.sharedEndpoint = capabilities.sharedReceiveOnly();
    this.queue = queue;
    this.scratch = MemorySegment.ofArray(new byte[options.bufferSize()]);
    this.turn = new Turn(host, domain.device().name());
    this.memory = new LoopMemory(host, domain, options, requests, this::grown);
    this.budget = new ReceiveBudget(this);
    this.liveness = new Liveness(host, options);
    this.afterlife = new Afterlife(host, turn);
  }

  /** Opens it on the event loop of a context. Any thread. @return completes on the loop */
  public static Future<DeviceLoop> open(ContextInternal context, Domain domain, LoopOptions options) {
    return open(new EventLoopHost(context), domain, options);
  }

  /** Opens it: registers the first memory off the loop, then has its queue polled. Any thread. @return completes on the loop */
  public static Future<DeviceLoop> open(LoopHost host, Domain domain, LoopOptions wanted) {
    LoopOptions options = wanted.fitting(domain.limits().maxMessageSize());
    return host.blocking(() -> {
      SlotPool.Slab slab = LoopMemory.allocateSends(domain, options);
      try {
        int depth = Math.min(QUEUE_DEPTH, domain.limits().completionQueueDepth());
        DeviceLoop device = new DeviceLoop(host, domain, options, domain.createCompletionQueue(depth));
        device.memory.sendSlots.add(slab);
        return device;
      } catch (RuntimeException e) {
        slab.close();
        throw e;
      }
    }).compose(device -> host.attach(device.queue, device.capabilities.progress(), device).compose(device::attached)
      .recover(cause -> device.close(cause).transform(done -> Future.failedFuture(cause))));
  }

  private Future<DeviceLoop> attached(QueuePoller attached) {
    poller = attached;
    turn.poller(attached);
    if (!sharedEndpoint) {
      return Future.succeededFuture(this);
    }
    int reserve = capabilities.reservedReceives();
    return memory.reserveReceives(reserve).map(v -> {
      memory.receiveSlots.unreserve(reserve);
      int depth = domain.limits().receiveDepth();
      PostedReceives shared = new PostedReceives(this, domain.createSharedReceiveQueue(queue, depth), reserve);
      budget.shared(shared);
      if (!shared.post(shared.promise(0))) {
        throw new RdmaException(Reason.LIMIT,
          domain.device().name() + " takes only " + depth + " receives, " + reserve + " are its own need");
      }
      return this;
    });
  }

  // ---- facts

  /** Context of its event loop; any thread. */
  public ContextInternal context() {
    return host.context();
  }

  /** Its event loop; any thread. */
  public EventLoop eventLoop() {
    return host.context().nettyEventLoop();
  }

  public CompletionQueue queue() {
    return queue;
  }

  /** Endpoints that are not over. */
  public int links() {
    return endpoints.size();
  }

  /** Keeps a choice of fabric once that most connections of a loop have in common. */
  public FabricChoice choice(FabricChoice made) {
    if (!made.equals(choice)) {
      choice = made;
    }
    return choice;
  }

  /** Measures how long the peer of each link takes to answer; the next {@link #statistics} tell. */
  public void measureRoundTrips() {
    // A copy: one that cannot be asked goes.
    List.copyOf(endpoints.values()).forEach(LoopEndpoint::measureRoundTrip);
  }

  public DeviceStatistics statistics() {
    return LoopStatistics.of(this, endpoints.values());
  }

  // ---- endpoints

  /** Fails once it is closed: nothing new may be made. */
  public void checkOpen() {
    if (closed != null) {
      throw new RdmaException(Reason.CLOSED, "RDMA over " + domain.device().name() + " was closed on this event loop");
    }
  }

  /** Options of a new endpoint; all that connect in the same time share the object. @param connectTimeoutMillis 0 for the default */
  public EndpointOptions endpointOptions(int connectTimeoutMillis) {
    if (endpointOptions == null) {
      // A queue is bounded by nothing but memory if registered memory is not pinned.
      int receives = capabilities.pinned() ? options.receives()
        : Math.min(options.receives() + ReceiveWindow.most(options), Math.max(options.receives(), domain.limits().receiveDepth()));
      endpointOptions = new EndpointOptions().withDepths(Math.min(SEND_DEPTH, domain.limits().sendDepth()), receives)
        .withSilenceMillis(options.deadMillis()).withInlineSize(INLINE_SIZE);
      if (budget.shared() != null) {
        endpointOptions = endpointOptions.withReceiveQueue(budget.shared().queue());
      }
    }
    if (connectTimeoutMillis > 0 && endpointOptions.connectTimeoutMillis() != connectTimeoutMillis) {
      endpointOptions = endpointOptions.withConnectTimeoutMillis(connectTimeoutMillis);
    }
    return endpointOptions;
  }

  LoopEndpoint endpoint(Endpoint endpoint) {
    // Completions of one endpoint come in a row.
    if (recentEndpoint != endpoint) {
      recent = endpoints.get(endpoint);
      recentEndpoint = endpoint;
    }
    return recent;
  }

  public void add(LoopEndpoint endpoint) {
    endpoints.put(endpoint.endpoint(), endpoint);
    recentEndpoint = null;
  }

  /** Counts a link that opened. */
  public void opened() {
    opened++;
  }

  /** Counts a stranger that has to wait. */
  public void deferred() {
    deferred++;
  }

  /** Forgets an endpoint that is over. @param broke true if it was an open link that broke */
  public void forget(LoopEndpoint endpoint, boolean broke) {
    recentEndpoint = null;
    if (endpoints.remove(endpoint.endpoint()) != null) {
      past.add(endpoint.counters);
      lost += broke ? 1 : 0;
    }
  }

  /** Lets go of an endpoint: it was closed, and the fabric owns nothing of it. */
  public void destroyed(LoopEndpoint endpoint) {
    turn.forget(endpoint);
  }

  // ---- what endpoints ask for

  /** See {@link Turn#dirty}. */
  public void dirty(LoopEndpoint endpoint) {
    turn.dirty(endpoint);
  }

  /** See {@link Turn#waiting}. */
  public void waiting(LoopEndpoint endpoint) {
    turn.waiting(endpoint);
  }

  /** See {@link Turn#again}. */
  public void again(LoopEndpoint endpoint) {
    turn.again(endpoint);
  }

  /** See {@link Turn#posted}. */
  public void posted(PeerWaker waker) {
    turn.posted(waker);
  }

  public RmaRequest takeRmaRequest() {
    RmaRequest request = rmaRequests.poll();
    if (request == null) {
      request = new RmaRequest();
      requests.add(request);
    }
    return request;
  }

  public void recycle(RmaRequest request) {
    request.clear();
    request.used();
    rmaRequests.push(request);
  }

  /** Address by which peers wake this loop; empty if they need not, or cannot. */
  public byte[] wakeAddress() {
    return poller.wakeAddress();
  }

  void unwakeable(int change) {
    poller.unwakeable(change);
  }

  /** Counts connections that want it to poll and never sleep. @param change of their number */
  public void busy(int change) {
    poller.busy(change);
  }

  void calling(EndpointWaker waker) {
    calling.add(waker);
    turn.wake();
  }

  // ---- turns

  @Override
  public void completions(CompletionBatch batch) {
    turn.begin();
    for (int i = 0, n = batch.size(); i < n; i++) {
      try {
        completion(batch, i);
      } catch (Throwable e) {
        broken(batch.endpoint(i), e);
      }
    }
  }

  private void completion(CompletionBatch batch, int i) {
    if (batch.operation(i) == Operation.REMOTE_WRITE) {
      return;
    }
    Request request = requests.find(batch.requestId(i));
    if (request != null) {
      request.completed(batch, i);
    } else if (batch.status(i) != Status.OK && batch.status(i) != Status.FLUSHED && batch.endpoint(i) != null) {
      // An unsignalled send that nobody tracks.
      LoopEndpoint endpoint = endpoint(batch.endpoint(i));
      if (endpoint != null) {
        endpoint.failed(batch.status(i), "a send failed", batch.error(i));
      }
    }
  }

  private void broken(Endpoint of, Throwable e) {
    LOG.error("A completion over " + domain.device().name() + " could not be handled; its connection ends", e);
    LoopEndpoint endpoint = of == null ? null : endpoint(of);
    if (endpoint != null) {
      endpoint.fail(e);
    }
  }

  @Override
  public void turnEnd() {
    turn.end();
    if (!calling.isEmpty()) {
      long now = host.nanoTime();
      calling.removeIf(waker -> !waker.callAgain(now));
    }
    afterlife.turnEnd();
  }

  @Override
  public void sleepsWaiting() {
    endpoints.values().forEach(LoopEndpoint::sleepsWaiting);
  }

  @Override
  public void peersWait() {
    wakers.wakeWaiting();
  }

  @Override
  public void failed(Throwable cause) {
    List.copyOf(endpoints.values()).forEach(endpoint -> endpoint.fail(cause));
  }

  /** @param failure if links have no memory at all; null if those that wait for some may go on */
  private void grown(Throwable failure) {
    if (failure != null) {
      failed(failure);
    }
    turn.wake();
  }

  // ---- the end

  /** Breaks what is open, stops polling and frees everything. Idempotent: all callers get one future. */
  public Future<Void> close(Throwable cause) {
    if (closed == null) {
      closed = Promise.promise();
      memory.stop();
      failed(cause);
      liveness.stop();
      // After the tasks in which endpoints are destroyed.
      host.execute(() -> afterKept(cause, () -> detach().compose(v -> host.<Void>blocking(() -> {
        free();
        return null;
      })).onComplete(done -> {
        // With the queue nothing of a closed endpoint is outstanding any more.
        afterlife.quarantined().forEach(LoopEndpoint::queueClosed);
        int taken = memory.zeroCopyTaken();
        if (taken > 0) {
          LOG.warn("Messages in registered memory of " + domain.device().name() + " that were not released when it closed: " + taken
            + "; their memory is freed with the last");
        }
        closed.handle(done);
      })));
    }
    return closed.future();
  }

  private Future<Void> detach() {
    return poller == null ? Future.succeededFuture() : poller.detach();
  }

  private void free() {
    if (budget.shared() != null) {
      budget.shared().queue().close();
    }
    queue.close();
    memory.close();
  }

  /** Goes on once no peer of a link that is over may read this side's memory. */
  private void afterKept(Throwable cause, Runnable next) {
    if (!afterlife.isKeeping()) {
      next.run();
    } else {
      // Kept memory is released before: in the order in which it was scheduled.
      host.schedule(() -> {
        // Endpoints that were being connected meanwhile.
        failed(cause);
        host.execute(next);
      }, Afterlife.KEPT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
