package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.loop.LoopHost;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBufferPool;
import io.github.vertxrdma.impl.memory.RequestTable;
import io.github.vertxrdma.impl.memory.SlotPool;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Registered memory of a device loop: slots for frames and for pieces of messages, large messages that were received, and for each peer
 * what it may read. Registered off the loop, when it is first wanted and slab by slab, up to bounds. Confined to the loop unless said
 * otherwise.
 */
public final class LoopMemory {
  private static final Logger LOG = LoggerFactory.getLogger(LoopMemory.class);
  private static final int SEND_SLAB = 64;
  /** Outgoing frames of a loop. */
  public static final int SEND_MAX = 1024;
  private static final int RECEIVE_SLAB = 64;
  private static final int RECEIVE_MAX = 1 << 17;
  private static final int STAGING_SLAB = 8;
  private static final int STAGING_MAX = 64;
  /** Slots for remote reads and writes that one link may have for each that is left: a peer that is silent holds not all of them. */
  private static final int STAGING_SHARE = 3;
  /** Slots that peers read: beyond these a peer that has some gets no more, and beyond those a peer that has none waits. */
  private static final int PEER_SLOTS = 64;
  private static final int PEER_SLOTS_MOST = 256;
  /** Peers that have memory for zero-copy messages to them. */
  private static final int OUTGOING_MOST = 4;
  /** Time after which a device that had no memory for large messages is asked again by the next who wants some. */
  static final long AGAIN_MILLIS = 10_000;

  public final SlotPool<SendSlot> sendSlots;
  final SlotPool<ReceiveSlot> receiveSlots;
  public final SlotPool<StagingSlot> stagingSlots;
  /** Large messages that were received, where their handler gives them back. */
  final RegisteredBufferPool incoming;
  private final Domain domain;
  private final LoopOptions options;
  private final LoopHost host;
  private final Runnable grown;
  /** By node id, in the order of use. */
  private final Map<String, PeerMemory> peers = new LinkedHashMap<>(16, 0.75f, true);
  /** Pools whose next slab is being registered, and the endpoints that wait for a slot of it. */
  private final Map<SlotPool<?>, Set<LoopEndpoint>> growing = new HashMap<>();
  /** The pool that will have no slot, and why, while those who wait for one are told; else null. */
  private SlotPool<?> refused;
  private Throwable refusal;
  /** Pools that were asked for memory: each completes when it has it, or has none for {@link #AGAIN_MILLIS}. */
  private final Map<RegisteredBufferPool, Future<Void>> opening = new HashMap<>();
  /** The slab of receives that is being registered; null if none is. */
  private Future<Void> receivesComing;
  /** Pieces of work off the loop that are not done, and the promise that they are; null if nobody waits for that. */
  private int working;
  private Promise<Void> idle;
  private boolean stopped;

  /**
   * @param requests table that gives slots their ids
   * @param grown hears when a pool that had no slot has grown, or will not: whoever waits for slots may go on, since those in use come back
   *   and serve. Where there are none at all nothing would move, so those who asked have had their turn by then, in which they see why
   */
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

  /** Registers the first memory for sends, which every loop needs. Blocks; any thread. */
  static SlotPool.Slab allocateSends(Domain domain, LoopOptions options) {
    return SlotPool.allocate(domain, Set.of(), options.bufferSize(), SEND_SLAB);
  }

  // ---- slots

  /** A slot for a frame; null if there is none now. */
  public SendSlot takeSend(LoopEndpoint sender) {
    SendSlot slot = sendSlots.take();
    if (slot == null) {
      grow(sendSlots, Set.of(), SEND_SLAB, sender);
    } else {
      slot.sender = sender;
    }
    return slot;
  }

  /** A slot for a remote read or write; null if there is none now, or the asker has its share. @param held slots that it has */
  public StagingSlot takeStaging(LoopEndpoint asker, int held) {
    if (held > 0 && held >= STAGING_SHARE * stagingSlots.left()) {
      return null;
    }
    StagingSlot slot = stagingSlots.take();
    if (slot == null) {
      grow(stagingSlots, Set.of(Access.LOCAL_WRITE, Access.READ_SINK), STAGING_SLAB, asker);
    }
    return slot;
  }

  /** Sets receive slots aside, registering more if need be: one slab at a time, since it mostly serves all who wait. */
  Future<Void> reserveReceives(int count) {
    if (receiveSlots.reserve(count)) {
      return Future.succeededFuture();
    }
    if (stopped) {
      return Future.failedFuture(closed());
    }
    if (domain.capabilities().receivesInPlace() && receiveSlots.canGrow(count)) {
      receiveSlots.addWithoutMemory(count);
      return reserveReceives(count);
    }
    if (receivesComing != null) {
      return receivesComing.transform(done -> reserveReceives(count));
    }
    int slots = Math.max(RECEIVE_SLAB, count);
    if (!receiveSlots.canGrow(slots)) {
      return Future.failedFuture(new RdmaException(Reason.LIMIT,
        "no more receive buffers on " + domain.device().name() + ": " + receiveSlots.total() + " are in use on this event loop"));
    }
    Future<Void> coming = register(receiveSlots, Set.of(Access.LOCAL_WRITE), slots).recover(cause -> Future.failedFuture(
      cause instanceof ProviderException why ? new RdmaException(Reasons.ofEnd(why.reason()), why.getMessage(), why) : cause));
    receivesComing = coming;
    return coming.eventually(() -> {
      receivesComing = null;
      return Future.succeededFuture();
    }).compose(v -> reserveReceives(count));
  }

  /** @param asker gets a turn if there will be no slot; null if nobody needs to know */
  private void grow(SlotPool<?> pool, Set<Access> access, int slots, LoopEndpoint asker) {
    if (stopped || pool == refused || !pool.canGrow(slots)) {
      return;
    }
    Set<LoopEndpoint> askers = growing.get(pool);
    if (askers == null) {
      Set<LoopEndpoint> waiting = new LinkedHashSet<>();
      growing.put(pool, waiting);
      register(pool, access, slots).onComplete(done -> {
        growing.remove(pool);
        if (done.failed() && pool.total() == 0) {
          refuse(pool, waiting, done.cause());
        }
        grown.run();
      });
      askers = waiting;
    }
    if (asker != null) {
      askers.add(asker);
    }
  }

  /** Gives those who wait for a first slot a turn in which they see that it will not come. Who wants one later asks the device again. */
  private void refuse(SlotPool<?> pool, Set<LoopEndpoint> askers, Throwable cause) {
    refused = pool;
    refusal = cause;
    try {
      askers.forEach(LoopEndpoint::turnEnd);
    } finally {
      refused = null;
      refusal = null;
    }
  }

  /** Tells why a pool will have no slot, while those who wait for one are told; null to others, who may wait. */
  public Throwable refusal(SlotPool<?> pool) {
    return pool == refused ? refusal : null;
  }

  // ---- memory that peers read

  /** Memory that a node may read. */
  public PeerMemory peer(String nodeId) {
    return peers.computeIfAbsent(nodeId, id -> new PeerMemory(this, options));
  }

  void left(PeerMemory peer) {
    if (!peer.isUsed() && !peer.isIdle()) {
      // Slabs that are idle are kept for when the peer comes back, and taken when others need room.
      peers.values().remove(peer);
      if (peer.isRegistered()) {
        close(peer::close);
      } else {
        peer.close();
      }
    }
  }

  void grow(PeerMemory peer, int slots, LoopEndpoint asker) {
    // With what is being registered: many may ask before the first has it.
    int all = peers.values().stream().mapToInt(each -> each.slots().total() + (growing.containsKey(each.slots()) ? slots : 0)).sum();
    if (all + slots <= (peer.slots().total() == 0 ? PEER_SLOTS_MOST : PEER_SLOTS)) {
      grow(peer.slots(), Set.of(Access.REMOTE_READ), slots, asker);
    }
    if (all + slots > PEER_SLOTS) {
      withdrawIdle(peer);
    }
  }

  /** Deregisters the slabs of the peer that has not used them for longest. */
  private void withdrawIdle(PeerMemory asking) {
    for (PeerMemory each : peers.values()) {
      if (each != asking && each.isIdle()) {
        Runnable close = each.withdraw();
        left(each);
        close(close);
        return;
      }
    }
  }

  private void close(Runnable blocking) {
    blocking(() -> {
      blocking.run();
      return null;
    });
  }

  /** Completes when a peer has memory for zero-copy messages, or has none for now. */
  Future<Void> openOutgoing(PeerMemory peer) {
    RegisteredBufferPool pool = peer.outgoing();
    if (!pool.isOpen() && !opening.containsKey(pool)
      && peers.values().stream().filter(each -> each.outgoing().isOpen() || opening.containsKey(each.outgoing()))
        .count() >= OUTGOING_MOST) {
      withdrawIdle(peer);
      return Future.succeededFuture();
    }
    return open(pool, Set.of(Access.REMOTE_READ));
  }

  // ---- large messages

  /** Registers memory for large messages that handlers release. */
  public void openIncoming() {
    open(incoming, Set.of(Access.LOCAL_WRITE, Access.READ_SINK));
  }

  /** Memory for a large message that its handler releases; null if there is no room. */
  public RegisteredBuffer takeIncoming(int size) {
    return incoming.take(size);
  }

  private Future<Void> open(RegisteredBufferPool pool, Set<Access> access) {
    if (pool.isOpen() || pool.units() == 0 || stopped) {
      return Future.succeededFuture();
    }
    Future<Void> underWay = opening.get(pool);
    if (underWay == null) {
      underWay = register(access, RegisteredBufferPool.UNIT, pool.units(), pool::add).otherwise(cause -> {
        if (!stopped) {
          LOG.warn("large messages over " + domain.device().name() + " go through the heap: " + cause.getMessage());
        }
        return null;
      });
      opening.put(pool, underWay);
      underWay.onSuccess(v -> {
        if (pool.isOpen() || pool.isClosed()) {
          opening.remove(pool);
        } else if (!stopped) {
          host.schedule(() -> opening.remove(pool), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        }
      });
    }
    return underWay;
  }

  // ---- registration

  private Future<Void> register(SlotPool<?> pool, Set<Access> access, int slots) {
    return register(access, pool.slotSize(), slots, pool::add);
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
    return new RdmaException(Reason.CLOSED,
      "no memory is registered with " + domain.device().name() + " any more: RDMA was closed in this Vert.x");
  }

  // ---- figures, and the end

  /** Slots for pieces of messages: those of reads and writes, and those that peers read. */
  int pieces() {
    return stagingSlots.total() + peers.values().stream().mapToInt(peer -> peer.slots().total()).sum();
  }

  int piecesInUse() {
    return stagingSlots.inUse() + peers.values().stream().mapToInt(peer -> peer.slots().inUse()).sum();
  }

  /** Registered bytes. */
  long size() {
    return sendSlots.bytes() + receiveSlots.bytes() + (long) pieces() * options.fragmentSize()
      + incoming.size() + peers.values().stream().mapToLong(peer -> peer.outgoing().size()).sum();
  }

  /** Zero-copy messages that are not released; any thread once the loop has ended. */
  int zeroCopyTaken() {
    return incoming.taken() + peers.values().stream().mapToInt(peer -> peer.outgoing().taken()).sum();
  }

  /** Lets nothing join any more: memory that is being registered is freed as soon as it is there. */
  void stop() {
    stopped = true;
  }

  /** Completes when nothing is registered or deregistered off the loop any more, and the device may go; after {@link #stop}. */
  Future<Void> idle() {
    idle = Promise.promise();
    if (working == 0) {
      idle.complete();
    }
    return idle.future();
  }

  /**
   * Deregisters everything and frees it, messages in registered memory with their last reference. Once it is {@link #idle}, and when no
   * operation can touch it any more. Blocks; any thread.
   */
  void close() {
    sendSlots.close();
    receiveSlots.close();
    stagingSlots.close();
    incoming.close();
    peers.values().forEach(PeerMemory::close);
  }
}
