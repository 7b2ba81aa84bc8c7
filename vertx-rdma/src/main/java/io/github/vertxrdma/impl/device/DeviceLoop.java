package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.poll.CompletionHandler;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.impl.process.LatencyHistogram;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.statistics.ConnectionStatistics;
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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One device on one event loop: a completion queue, its endpoints, and their shared receives and registered memory. An error in the
 * handling of a completion closes only the endpoint of that completion.
 */
public final class DeviceLoop implements CompletionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceLoop.class);
  private static final int QUEUE_DEPTH = 1 << 14;
  private static final int SEND_DEPTH = 128;
  /** Maximum bytes of an inline send. The adapter does not fetch its payload from memory. */
  private static final int INLINE_SIZE = 128;
  private static final int MAX_INTERNED = 64;
  private static final int MAX_CONNECTIONS = 256;

  public final LoopHost host;
  public final Domain domain;
  public final Capabilities capabilities;
  public final LoopOptions options;
  public final CompletionQueue queue;
  /** Bytes that the provider reserves at the start of each message. */
  public final int prefix;
  /** True if a peer can read memory after its link closed, through a shared endpoint or a mapping. */
  public final boolean readsOutliveLinks;
  public final LoopMemory memory;
  public final ReceiveBudget budget;
  public final Liveness liveness;
  /** Payload copy of the current control frame, whose receive is already posted again. */
  public final MemorySegment controlPayload;
  public final WorkRequest work = new WorkRequest();
  public final SendSlot claimed = new SendSlot();
  public final LatencyHistogram oneSided = new LatencyHistogram();
  public final Turn turn;
  private final AtomicLong turns = new AtomicLong();
  public final LoopEndpoints endpoints;
  final PeerWakers wakers = new PeerWakers();
  long deferred;
  private final RequestTable requests = new RequestTable();
  private final ArrayDeque<RmaRequest> rmaRequests = new ArrayDeque<>();
  private final Map<Object, Object> interned = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Object, Object> eldest) {
      return size() > MAX_INTERNED;
    }
  };
  private QueuePoller poller;
  private EndpointOptions endpointOptions;
  private Promise<Void> closed;
  private volatile Throwable lost;
  private Runnable lostHandler = () -> {
  };

  private DeviceLoop(LoopHost host, Domain domain, LoopOptions options, CompletionQueue queue) {
    this.host = host;
    this.domain = domain;
    this.capabilities = domain.capabilities();
    this.options = options;
    this.prefix = capabilities.messagePrefix();
    this.readsOutliveLinks = capabilities.sharedReceiveOnly() || capabilities.maps();
    this.queue = queue;
    this.controlPayload = MemorySegment.ofArray(new byte[options.bufferSize()]);
    this.turn = new Turn(host, domain.device().name());
    this.endpoints = new LoopEndpoints(host, turn);
    this.memory = new LoopMemory(host, domain, options, requests, turn::wake);
    this.budget = new ReceiveBudget(this);
    this.liveness = new Liveness(host, options);
  }

  /** Registers the first memory on a worker thread, then attaches the queue. Thread-safe. @return completed on the loop */
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
          domain.device().name() + " holds only " + depth + " receives in its queue, but its provider reserves " + reserve + ". Use "
            + "another device");
      }
      return this;
    });
  }

  /** Thread-safe. */
  @Override
  public ContextInternal context() {
    return host.context();
  }

  /** Thread-safe. */
  public EventLoop eventLoop() {
    return host.context().nettyEventLoop();
  }

  /** Returns an equal earlier value if one is cached, so that links share it. */
  @SuppressWarnings("unchecked")
  public <T> T intern(T value) {
    return (T) interned.computeIfAbsent(value, made -> made);
  }

  /** Returns a number that changes when something was sent or received, or the queue failed. Thread-safe. */
  public long turns() {
    return turns.getOpaque();
  }

  public DeviceStatistics statistics() {
    Counters all = new Counters();
    all.add(endpoints.past);
    long pendingBytes = 0;
    List<ConnectionStatistics> connections = new ArrayList<>();
    for (LoopEndpoint endpoint : endpoints.all()) {
      all.add(endpoint.counters);
      pendingBytes += endpoint.pendingBytes();
      if (connections.size() < MAX_CONNECTIONS) {
        connections.add(endpoint.statistics());
      }
    }
    Device device = domain.device();
    return new DeviceStatistics(device.provider(), device.name(), device.fabric(), device.endpointType(),
      Thread.currentThread().getName(), all.traffic(), endpoints.opened, endpoints.lost, turn.retried, deferred + queue.deferred(),
      memory.sendSlots.total(), memory.sendSlots.inUse(), memory.receiveSlots.total(), memory.receiveSlots.inUse(), memory.pieces(),
      memory.piecesInUse(), memory.zeroCopyTaken(), memory.size(), all.requestLatencies(), oneSided.latencies(), endpoints.all().size(),
      pendingBytes, connections);
  }

  public void checkOpen() {
    if (closed != null) {
      throw new RdmaException(Reason.CLOSED, "RDMA over " + domain.device().name() + " was closed on this event loop");
    }
  }

  /** Returns the options of a new endpoint. @param connectTimeoutMillis 0 for the default */
  public EndpointOptions endpointOptions(int connectTimeoutMillis) {
    if (endpointOptions == null) {
      // Without pinned memory, queues also hold the receives that ReceiveWindow adds.
      int receives = capabilities.pinned() ? options.receives()
        : Math.min(options.receives() + ReceiveWindow.most(options), Math.max(options.receives(), domain.limits().receiveDepth()));
      endpointOptions = new EndpointOptions().withDepths(Math.min(SEND_DEPTH, domain.limits().sendDepth()), receives)
        .withInlineSize(INLINE_SIZE);
      if (budget.shared() != null) {
        endpointOptions = endpointOptions.withReceiveQueue(budget.shared().queue);
      }
    }
    if (connectTimeoutMillis > 0 && endpointOptions.connectTimeoutMillis() != connectTimeoutMillis) {
      endpointOptions = endpointOptions.withConnectTimeoutMillis(connectTimeoutMillis);
    }
    return endpointOptions;
  }

  /**
   * Reserves receives for a handshake. Prepares the endpoint on a worker thread if its creation blocks.
   *
   * @return number of slots to post
   */
  public Future<Integer> prepareEndpoint(Connecting how, int connectTimeoutMillis) {
    return budget.handshake().compose(slots -> {
      Callable<?> preparation;
      try {
        preparation = domain.endpointPreparation(queue, endpointOptions(connectTimeoutMillis), how);
      } catch (RuntimeException e) {
        budget.cancel(slots);
        return Future.failedFuture(e);
      }
      return preparation == null ? Future.succeededFuture(slots)
        : host.blocking(preparation).map(slots).onFailure(cause -> budget.cancel(slots));
    });
  }

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

  public byte[] wakeAddress() {
    return poller.wakeAddress();
  }

  void unwakeable(int change) {
    poller.unwakeable(change);
  }

  public void busy(int change) {
    poller.busy(change);
  }

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
      // An unsignalled send completes only if it fails. Its slot is already released.
      LoopEndpoint endpoint = endpoints.find(batch.endpoint(i));
      if (endpoint != null) {
        endpoint.failed(batch.status(i), "a send failed", batch.error(i));
      }
    }
  }

  /** Closes a connection after an error in the handling of its event. @param endpoint may be null */
  public void broken(LoopEndpoint endpoint, Throwable e) {
    LOG.error("An event of " + domain.device().name() + " could not be handled; its connection is closed", e);
    if (endpoint != null) {
      runAll(() -> endpoint.fail(e));
    }
  }

  /** Runs all steps, and logs exceptions. */
  public void runAll(Runnable... steps) {
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (Throwable e) {
        LOG.error("A close handler of a connection over " + domain.device().name() + " failed", e);
      }
    }
  }

  private void countTurn() {
    turns.setOpaque(turns.getPlain() + 1);
  }

  @Override
  public void turnEnd() {
    countTurn();
    turn.end();
    wakers.turnEnd(host);
    endpoints.turnEnd();
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
    if (lost != null) {
      return;
    }
    lost = cause;
    endAll(cause);
    countTurn();
    runAll(lostHandler);
  }

  /** Sets a handler for the failure of the queue, called after all connections closed. */
  public void lostHandler(Runnable handler) {
    lostHandler = handler;
  }

  public void endAll(Throwable cause) {
    endpoints.fail(cause);
  }

  /** Returns why the queue failed, or null. Thread-safe. */
  public Throwable lost() {
    return lost;
  }

  /** Thread-safe. */
  public boolean hasFailed() {
    return lost != null || domain.isLost();
  }

  public Future<Void> close(Throwable cause) {
    assert host.inLoop();
    if (closed == null) {
      closed = Promise.promise();
      memory.stop();
      endAll(cause);
      liveness.stop();
      // Runs after tasks that destroy endpoints.
      host.execute(() -> afterRetained(cause, () -> detach().compose(v -> memory.idle()).compose(v -> host.<Void>blocking(() -> {
        free();
        return null;
      })).onComplete(done -> {
        endpoints.queueClosed();
        int taken = memory.zeroCopyTaken();
        if (taken > 0) {
          LOG.warn("The application has not released " + taken + " messages in registered memory of " + domain.device().name() + ", "
            + "which was closed. Their memory is freed when the last one is released");
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
      budget.shared().queue.close();
    }
    queue.close();
    memory.close();
  }

  /** Runs {@code next} when peers may no longer read memory of closed links. */
  private void afterRetained(Throwable cause, Runnable next) {
    if (!endpoints.isKeeping()) {
      next.run();
    } else {
      // Runs after earlier timers, which release retained memory.
      host.schedule(() -> {
        endAll(cause);
        host.execute(next);
      }, LoopEndpoints.KEPT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }
}
