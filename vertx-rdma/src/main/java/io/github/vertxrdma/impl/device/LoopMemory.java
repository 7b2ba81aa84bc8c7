package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Registered memory of a device loop. Worker threads register it in slabs on demand, up to limits. */
public final class LoopMemory {
  private static final Logger LOG = LoggerFactory.getLogger(LoopMemory.class);
  private static final int SEND_SLAB = 64;
  public static final int SEND_MAX = 1024;
  private static final int RECEIVE_SLAB = 64;
  private static final int RECEIVE_MAX = 1 << 17;
  private static final int STAGING_SLAB = 8;
  private static final int STAGING_MAX = 64;
  /** A link gets no further staging slot if it holds this multiple of the remaining ones. Otherwise one silent peer could hold all. */
  private static final int STAGING_SHARE = 3;
  /** Maximum slots of all peers together. Only peers without slots get slots beyond it, up to {@code MAX_PEER_SLOTS}. */
  private static final int PEER_SLOTS = 64;
  private static final int MAX_PEER_SLOTS = 256;
  /** Maximum number of peers with memory for zero-copy messages. Messages to other peers use heap memory. */
  private static final int MAX_OUTGOING = 4;
  /** Pause in ms after a failed registration of memory for large messages. */
  static final long RETRY_MILLIS = 10_000;

  public final SlotPool<SendSlot> sendSlots;
  final SlotPool<ReceiveSlot> receiveSlots;
  public final SlotPool<StagingSlot> stagingSlots;
  /** Memory of received large messages. Handlers release them. */
  final RegisteredBufferPool incoming;
  private final Domain domain;
  private final LoopOptions options;
  private final LoopHost host;
  private final Runnable grown;
  /** Memory for each peer by node id, least recently used first. */
  private final Map<String, ExposedMemory> peers = new LinkedHashMap<>(16, 0.75f, true);
  /** Pools that are growing, and the endpoints that wait for their slots. */
  private final Map<SlotPool<?>, Set<LoopEndpoint>> growing = new HashMap<>();
  /** Pool without slots that failed to grow. Set only while its waiting endpoints are notified. */
  private SlotPool<?> refused;
  private Throwable refusal;
  /** Pools that are being registered, or whose registration failed recently. */
  private final Map<RegisteredBufferPool, Future<Void>> opening = new HashMap<>();
  private Future<Void> growingReceives;
  /** Number of tasks on worker threads. {@link #idle} completes when it is 0. */
  private int working;
  private Promise<Void> idle;
  private boolean stopped;

  /** @param grown called when a pool without a free slot has grown or failed to grow */
  LoopMemory(LoopHost host, Domain domain, LoopOptions options, RequestTable requests, Runnable grown) {
    this.host = host;
    this.domain = domain;
    this.options = options;
    this.grown = grown;
    this.sendSlots = new SlotPool<>(requests, options.bufferSize(), SEND_MAX, SendSlot::new);
    this.receiveSlots = new SlotPool<>(requests, options.bufferSize(), RECEIVE_MAX, ReceiveSlot::new);
    this.stagingSlots = new SlotPool<>(requests, options.fragmentSize(), STAGING_MAX, StagingSlot::new);
    this.incoming = new RegisteredBufferPool(options.zeroCopyBytes());
  }

  /** Blocks; thread-safe. */
  static SlotPool.Slab allocateSends(Domain domain, LoopOptions options) {
    return SlotPool.allocate(domain, Set.of(), options.bufferSize(), SEND_SLAB);
  }

  public SendSlot takeSend(LoopEndpoint sender) {
    SendSlot slot = sendSlots.take();
    if (slot == null) {
      grow(sendSlots, Set.of(), SEND_SLAB, sender);
    } else if (slot.sender != sender) {
      slot.sender = sender;
    }
    return slot;
  }

  /** Returns null if no slot is free or the link holds too many. @param held number of slots that the link holds */
  public StagingSlot takeStaging(LoopEndpoint requester, int held) {
    if (held > 0 && held >= STAGING_SHARE * stagingSlots.left()) {
      return null;
    }
    StagingSlot slot = stagingSlots.take();
    if (slot == null) {
      grow(stagingSlots, Set.of(Access.LOCAL_WRITE, Access.READ_SINK), STAGING_SLAB, requester);
    }
    return slot;
  }

  /** Reserves receive slots. Registers one slab at a time, because one is usually enough for all waiting calls. */
  Future<Void> reserveReceives(int count) {
    if (receiveSlots.reserve(count)) {
      return Future.succeededFuture();
    }
    if (stopped) {
      return Future.failedFuture(closed());
    }
    if (domain.capabilities().receivesInPlace() && receiveSlots.canGrow(count)) {
      receiveSlots.add(null, count);
      return reserveReceives(count);
    }
    if (growingReceives != null) {
      return growingReceives.transform(done -> reserveReceives(count));
    }
    int slots = Math.max(RECEIVE_SLAB, count);
    if (!receiveSlots.canGrow(slots)) {
      return Future.failedFuture(new RdmaException(Reason.LIMIT,
        "cannot register " + slots + " more receive buffers on " + domain.device().name() + ": this event loop already has "
          + receiveSlots.total() + ", and its limit is reached. Close connections, or use more event loops"));
    }
    growingReceives = register(Set.of(Access.LOCAL_WRITE), options.bufferSize(), slots, receiveSlots::add)
      .recover(cause -> Future.failedFuture(cause instanceof ProviderException why
        ? new RdmaException(Reasons.ofEnd(why.reason()), why.getMessage(), why) : cause));
    return growingReceives.eventually(() -> {
      growingReceives = null;
      return Future.succeededFuture();
    }).compose(v -> reserveReceives(count));
  }

  /** @param requester endpoint to notify if the pool cannot grow; may be null */
  private void grow(SlotPool<?> pool, Set<Access> access, int slots, LoopEndpoint requester) {
    if (stopped || pool == refused || !pool.canGrow(slots)) {
      return;
    }
    Set<LoopEndpoint> requesters = growing.get(pool);
    if (requesters == null) {
      Set<LoopEndpoint> waiting = new LinkedHashSet<>();
      growing.put(pool, waiting);
      register(access, pool.slotSize(), slots, pool::add).onComplete(done -> {
        growing.remove(pool);
        if (done.failed() && pool.total() == 0) {
          refuse(pool, waiting, done.cause());
        }
        grown.run();
      });
      requesters = waiting;
    }
    if (requester != null) {
      requesters.add(requester);
    }
  }

  /**
   * Notifies the endpoints that wait for a slot. During these calls, {@link #refusal} returns the cause. Later requests register memory
   * again.
   */
  private void refuse(SlotPool<?> pool, Set<LoopEndpoint> requesters, Throwable cause) {
    refused = pool;
    refusal = cause;
    try {
      requesters.forEach(LoopEndpoint::turnEnd);
    } finally {
      refused = null;
      refusal = null;
    }
  }

  public Throwable refusal(SlotPool<?> pool) {
    return pool == refused ? refusal : null;
  }

  public ExposedMemory peer(String nodeId) {
    return peers.computeIfAbsent(nodeId, id -> new ExposedMemory(this, options));
  }

  void removeUnused(ExposedMemory peer) {
    if (!peer.isUsed() && !peer.isIdle()) {
      // Idle slabs are kept until other peers need the memory, because the peer may connect again.
      peers.values().remove(peer);
      if (peer.isRegistered()) {
        blocking(Executors.callable(peer::close));
      } else {
        peer.close();
      }
    }
  }

  void grow(ExposedMemory peer, int slots, LoopEndpoint requester) {
    int all = peers.values().stream().mapToInt(each -> each.slots.total() + (growing.containsKey(each.slots) ? slots : 0)).sum();
    if (all + slots <= (peer.slots.total() == 0 ? MAX_PEER_SLOTS : PEER_SLOTS)) {
      grow(peer.slots, Set.of(Access.REMOTE_READ), slots, requester);
    }
    if (all + slots > PEER_SLOTS) {
      withdrawIdle(peer);
    }
  }

  private void withdrawIdle(ExposedMemory asking) {
    for (ExposedMemory each : peers.values()) {
      if (each != asking && each.isIdle()) {
        Runnable close = each.withdraw();
        removeUnused(each);
        blocking(Executors.callable(close));
        return;
      }
    }
  }

  /** Completes when the peer has zero-copy memory, or cannot get it now. */
  Future<Void> openOutgoing(ExposedMemory peer) {
    RegisteredBufferPool pool = peer.outgoing;
    if (!pool.isOpen() && !opening.containsKey(pool)
      && peers.values().stream().filter(each -> each.outgoing.isOpen() || opening.containsKey(each.outgoing))
        .count() >= MAX_OUTGOING) {
      withdrawIdle(peer);
      return Future.succeededFuture();
    }
    return open(pool, Set.of(Access.REMOTE_READ));
  }

  public void openIncoming() {
    open(incoming, Set.of(Access.LOCAL_WRITE, Access.READ_SINK));
  }

  public RegisteredBuffer takeIncoming(int size) {
    return incoming.take(size);
  }

  private Future<Void> open(RegisteredBufferPool pool, Set<Access> access) {
    if (pool.isOpen() || pool.units() == 0 || stopped) {
      return Future.succeededFuture();
    }
    Future<Void> opened = opening.get(pool);
    if (opened == null) {
      opened = register(access, RegisteredBufferPool.UNIT, pool.units(), pool::add).otherwise(cause -> {
        if (!stopped) {
          LOG.warn("large messages over " + domain.device().name() + " are copied through the heap, since no memory can be "
            + "registered: " + cause.getMessage());
        }
        return null;
      });
      opening.put(pool, opened);
      opened.onSuccess(v -> {
        if (pool.isOpen() || pool.isClosed()) {
          opening.remove(pool);
        } else if (!stopped) {
          host.schedule(() -> opening.remove(pool), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
      });
    }
    return opened;
  }

  private Future<Void> register(Set<Access> access, int slotSize, int slots, Consumer<SlotPool.Slab> pool) {
    return blocking(() -> SlotPool.allocate(domain, access, slotSize, slots)).compose(slab -> {
      if (stopped) {
        slab.close();
        return Future.failedFuture(closed());
      }
      pool.accept(slab);
      return Future.succeededFuture();
    });
  }

  private <T> Future<T> blocking(Callable<T> work) {
    Future<T> done = host.blocking(work);
    working++;
    return done.onComplete(result -> {
      if (--working == 0 && idle != null) {
        idle.tryComplete();
      }
    });
  }

  private RdmaException closed() {
    return new RdmaException(Reason.CLOSED, "cannot register memory with " + domain.device().name() + ": RDMA was closed in this Vert.x");
  }

  int pieces() {
    return stagingSlots.total() + peers.values().stream().mapToInt(peer -> peer.slots.total()).sum();
  }

  int piecesInUse() {
    return stagingSlots.inUse() + peers.values().stream().mapToInt(peer -> peer.slots.inUse()).sum();
  }

  long size() {
    return sendSlots.bytes() + receiveSlots.bytes() + (long) pieces() * options.fragmentSize()
      + incoming.size() + peers.values().stream().mapToLong(peer -> peer.outgoing.size()).sum();
  }

  /** Returns the number of unreleased zero-copy messages. Thread-safe after the loop has closed. */
  int zeroCopyTaken() {
    return incoming.taken() + peers.values().stream().mapToInt(peer -> peer.outgoing.taken()).sum();
  }

  /** Stops growth. Memory whose registration is in progress is freed afterwards. */
  void stop() {
    stopped = true;
  }

  /** Completes when no worker thread uses the device. Called after {@link #stop}. */
  Future<Void> idle() {
    idle = Promise.promise();
    if (working == 0) {
      idle.complete();
    }
    return idle.future();
  }

  /**
   * Frees all memory. Zero-copy messages are freed with their last reference. Called after {@link #idle}, when no operation can use the
   * memory. Blocks; thread-safe.
   */
  void close() {
    sendSlots.close();
    receiveSlots.close();
    stagingSlots.close();
    incoming.close();
    peers.values().forEach(ExposedMemory::close);
  }
}
