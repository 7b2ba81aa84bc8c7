package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.loop.CompletionHandler;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.loop.QueuePoller;
import io.github.vertxrdma.impl.memory.Request;
import io.github.vertxrdma.impl.memory.RequestTable;
import io.github.vertxrdma.impl.memory.SlotPool;
import io.github.vertxrdma.impl.statistics.LatencyHistogram;
import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
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
  /** Values that are looked through for one that links have in common. */
  private static final int COMMON = 64;

  public final LoopHost host;
  public final Domain domain;
  public final Capabilities capabilities;
  public final LoopOptions options;
  public final CompletionQueue queue;
  /** Bytes at the start of each message that are the provider's. */
  public final int prefix;
  /**
   * True where peers can read beyond the end of a link: by a key that a shared endpoint still has, or because they have mapped the memory.
   */
  public final boolean readsOutliveLinks;
  public final LoopMemory memory;
  public final ReceiveBudget budget;
  public final Liveness liveness;
  public final Afterlife afterlife;
  /** The control frame that is being handled: its receive is posted again before. */
  public final ControlFrame control;
  /** The frame that is being posted. */
  public final WorkRequest work = new WorkRequest();
  /** The frame that is being written to claimed memory. */
  public final SendSlot claimed = new SendSlot();
  /** Time that one-sided operations take. */
  public final LatencyHistogram oneSided = new LatencyHistogram();
  public final Turn turn;
  public final LoopEndpoints endpoints;
  final PeerWakers wakers = new PeerWakers();
  long deferred;
  private final RequestTable requests = new RequestTable();
  private final ArrayDeque<RmaRequest> rmaRequests = new ArrayDeque<>();
  private final Map<Object, Object> common = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, Object> eldest) {
      return size() > COMMON;
    }
  };
  private QueuePoller poller;
  private EndpointOptions endpointOptions;
  private Promise<Void> closed;
  private volatile Throwable lost;

  private DeviceLoop(LoopHost host, Domain domain, LoopOptions options, CompletionQueue queue) {
    this.host = host;
    this.domain = domain;
    this.capabilities = domain.capabilities();
    this.options = options;
    this.prefix = capabilities.messagePrefix();
    this.readsOutliveLinks = capabilities.sharedReceiveOnly() || capabilities.maps();
    this.queue = queue;
    this.control = new ControlFrame(MemorySegment.ofArray(new byte[options.bufferSize()]));
    this.turn = new Turn(host, domain.device().name());
    this.endpoints = new LoopEndpoints(host);
    this.memory = new LoopMemory(host, domain, options, requests, turn::wake);
    this.budget = new ReceiveBudget(this);
    this.liveness = new Liveness(host, options);
    this.afterlife = new Afterlife(host, turn);
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
    if (!capabilities.sharedReceiveOnly()) {
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

  /** Gives an equal value that a link has had lately, if there is one: what many links have in common takes memory once. */
  @SuppressWarnings("unchecked")
  public <T> T common(T value) {
    return (T) common.computeIfAbsent(value, made -> made);
  }

  public DeviceStatistics statistics() {
    return LoopStatistics.of(this);
  }

  // ---- what endpoints ask for

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
        .withInlineSize(INLINE_SIZE);
      if (budget.shared() != null) {
        endpointOptions = endpointOptions.withReceiveQueue(budget.shared().queue());
      }
    }
    if (connectTimeoutMillis > 0 && endpointOptions.connectTimeoutMillis() != connectTimeoutMillis) {
      endpointOptions = endpointOptions.withConnectTimeoutMillis(connectTimeoutMillis);
    }
    return endpointOptions;
  }

  /** Counts a stranger that has to wait. */
  public void deferred() {
    deferred++;
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

  // ---- turns

  @Override
  public void completions(CompletionBatch batch) {
    turn.begin();
    for (int i = 0, n = batch.size(); i < n; i++) {
      try {
        completion(batch, i);
      } catch (Throwable e) {
        Endpoint of = batch.endpoint(i);
        broken(of == null ? null : endpoints.find(of), e);
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
      LoopEndpoint endpoint = endpoints.find(batch.endpoint(i));
      if (endpoint != null) {
        endpoint.failed(batch.status(i), "a send failed", batch.error(i));
      }
    }
  }

  /** Ends a connection whose event was not handled; throws nothing. @param endpoint null if it is none's */
  public void broken(LoopEndpoint endpoint, Throwable e) {
    LOG.error("An event over " + domain.device().name() + " could not be handled; its connection ends", e);
    if (endpoint != null) {
      all(() -> endpoint.fail(e));
    }
  }

  /** Does each, whatever another throws: what one does at the end of a connection is no concern of the others. */
  public void all(Runnable... steps) {
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (Throwable e) {
        LOG.error("The end of a connection over " + domain.device().name() + " was not handled in one place", e);
      }
    }
  }

  @Override
  public void turnEnd() {
    turn.end();
    wakers.turnEnd(host);
    afterlife.turnEnd();
  }

  @Override
  public void sleepsWaiting() {
    endpoints.sleepWaiting();
  }

  @Override
  public void peersWait() {
    wakers.wakeWaiting();
  }

  @Override
  public void failed(Throwable cause) {
    lost = cause;
    endAll(cause);
  }

  /** Ends all connections. */
  public void endAll(Throwable cause) {
    endpoints.fail(cause);
  }

  /** Error by which its queue ended, after which it carries nothing; null while it does. Any thread. */
  public Throwable lost() {
    return lost;
  }

  // ---- the end

  /** Breaks what is open, stops polling and frees everything. Idempotent: all callers get one future. */
  public Future<Void> close(Throwable cause) {
    assert host.inLoop();
    if (closed == null) {
      closed = Promise.promise();
      memory.stop();
      endAll(cause);
      liveness.stop();
      // After the tasks in which endpoints are destroyed.
      host.execute(() -> afterKept(cause, () -> detach().compose(v -> memory.idle()).compose(v -> host.<Void>blocking(() -> {
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
        endAll(cause);
        host.execute(next);
      }, Afterlife.KEPT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
