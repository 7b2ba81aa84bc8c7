package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.memory.LendingPool;
import io.github.vertxrdma.impl.memory.LentMemory;
import io.github.vertxrdma.impl.memory.Requests;
import io.github.vertxrdma.impl.memory.SlotPool;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * The registered memory that the links of a device loop share: slots for frames and for parts of messages, and what is lent. It is
 * registered off the loop, when it is first wanted and slab by slab, up to bounds. Confined to the loop unless said otherwise.
 */
final class LoopMemory {

  /** Has memory registered while the loop goes on. */
  @FunctionalInterface
  interface Registrar {
    /** @param registration blocks, and so runs off the loop @return completes on the loop */
    Future<SlotPool.Slab> register(Callable<SlotPool.Slab> registration);
  }

  private static final Logger LOG = LoggerFactory.getLogger(LoopMemory.class);
  private static final int SEND_SLAB = 64;
  static final int SEND_MAX = 1024;
  private static final int RECEIVE_SLAB = 64;
  private static final int RECEIVE_MAX = 1 << 17;
  private static final int FRAGMENT_SLAB = 8;
  static final int FRAGMENT_MAX = 64;
  /** What peers know the memory of {@link #outgoing} by: the number behind the slabs of source slots, which are never in quarantine. */
  static final int OUTGOING_SLAB = FRAGMENT_MAX / FRAGMENT_SLAB;

  final SlotPool<SendSlot> sendSlots;
  final SlotPool<ReceiveSlot> receiveSlots;
  final SlotPool<SourceSlot> sourceSlots;
  final SlotPool<StagingSlot> stagingSlots;
  /** Large messages that were received, where their handler gives them back. */
  final LendingPool incoming;
  /** Large messages that the application makes in registered memory. */
  final LendingPool outgoing;
  private final Domain domain;
  private final LinkOptions options;
  private final Registrar registrar;
  private final Consumer<Throwable> grown;
  /** Pools whose next slab is being registered. */
  private final Set<SlotPool<?>> growing = new HashSet<>();
  /** Of pools that were asked for memory: when they have it, or will have none. */
  private final Map<LendingPool, Future<Void>> lending = new HashMap<>();
  private boolean stopped;

  /**
   * @param requests where slots get their ids
   * @param grown hears on the loop when a pool that had no slot has grown, or will not. Null is for whoever waits for slots to go on, those
   *   in use come back and serve; a failure is for when there are none at all, and nothing would move
   */
  LoopMemory(Domain domain, LinkOptions options, Requests requests, Registrar registrar, Consumer<Throwable> grown) {
    this.domain = domain;
    this.options = options;
    this.registrar = registrar;
    this.grown = grown;
    this.sendSlots = new SlotPool<>(requests, options.bufferSize(), SEND_MAX, SendSlot::new);
    this.receiveSlots = new SlotPool<>(requests, options.bufferSize(), RECEIVE_MAX, ReceiveSlot::new);
    this.sourceSlots = new SlotPool<>(requests, options.fragmentSize(), FRAGMENT_MAX, SourceSlot::new);
    this.stagingSlots = new SlotPool<>(requests, options.fragmentSize(), FRAGMENT_MAX, StagingSlot::new);
    this.incoming = new LendingPool(options.lendingBytes());
    this.outgoing = new LendingPool(options.lendingBytes());
  }

  /** The first memory for sends, which every loop needs. Blocks; any thread. */
  static SlotPool.Slab allocateSends(Domain domain, LinkOptions options) {
    return SlotPool.allocate(domain, Set.of(), options.bufferSize(), SEND_SLAB);
  }

  // ---- slots

  SendSlot takeSend(LinkSender sender) {
    SendSlot slot = sendSlots.take();
    if (slot == null) {
      grow(sendSlots, Set.of(), SEND_SLAB);
    } else {
      slot.sender = sender;
    }
    return slot;
  }

  SourceSlot takeSource() {
    SourceSlot slot = sourceSlots.take();
    if (slot == null) {
      grow(sourceSlots, Set.of(Access.REMOTE_READ), FRAGMENT_SLAB);
    }
    return slot;
  }

  StagingSlot takeStaging() {
    StagingSlot slot = stagingSlots.take();
    if (slot == null) {
      grow(stagingSlots, Set.of(Access.LOCAL_WRITE, Access.READ_SINK), FRAGMENT_SLAB);
    }
    return slot;
  }

  /** Sets receive slots aside, registering more if need be. */
  Future<Void> reserveReceives(int count) {
    if (receiveSlots.reserve(count)) {
      return Future.succeededFuture();
    }
    int slots = Math.max(RECEIVE_SLAB, count);
    if (!receiveSlots.canGrow(slots)) {
      return Future.failedFuture(new RdmaException(Reason.LIMIT,
        "no more receive buffers on " + domain.device().name() + ": " + receiveSlots.total() + " are in use on this event loop"));
    }
    return register(receiveSlots, Set.of(Access.LOCAL_WRITE), slots).compose(v -> reserveReceives(count));
  }

  private void grow(SlotPool<?> pool, Set<Access> access, int slots) {
    if (!stopped && pool.canGrow(slots) && growing.add(pool)) {
      register(pool, access, slots).onComplete(done -> {
        growing.remove(pool);
        grown.accept(pool.total() == 0 ? done.cause() : null);
      });
    }
  }

  // ---- lending

  /** Registers the memory that received messages will be lent from. */
  void lendIncoming() {
    open(incoming, Set.of(Access.LOCAL_WRITE, Access.READ_SINK));
  }

  /** Memory for a message to be sent: registered, or of the heap if it is short or there is no room. */
  Future<ByteBuf> lendOutgoing(int size) {
    if (size <= options.bufferSize() || size > options.lendingBytes()) {
      return Future.succeededFuture(Unpooled.buffer(size, size));
    }
    return open(outgoing, Set.of(Access.REMOTE_READ)).map(v -> {
      LentMemory memory = outgoing.lend(size);
      return memory == null ? Unpooled.buffer(size, size) : memory.clear();
    });
  }

  /** Completes when there will be no more memory than there is. */
  private Future<Void> open(LendingPool pool, Set<Access> access) {
    if (pool.isOpen() || pool.units() == 0 || stopped) {
      return Future.succeededFuture();
    }
    Future<Void> opening = lending.get(pool);
    if (opening == null) {
      opening = register(access, LendingPool.UNIT, pool.units(), pool::add).otherwise(cause -> {
        if (!stopped) {
          LOG.warn("large messages over " + domain.device().name() + " go through the heap: " + cause.getMessage());
        }
        return null;
      });
      lending.put(pool, opening);
    }
    return opening;
  }

  // ---- registration

  private Future<Void> register(SlotPool<?> pool, Set<Access> access, int slots) {
    return register(access, pool.slotSize(), slots, pool::add);
  }

  private Future<Void> register(Set<Access> access, int slotSize, int slots, Consumer<SlotPool.Slab> pool) {
    return registrar.register(() -> SlotPool.allocate(domain, access, slotSize, slots)).compose(slab -> {
      if (stopped) {
        slab.close();
        return Future.failedFuture("closed");
      }
      pool.accept(slab);
      return Future.succeededFuture();
    });
  }

  // ---- how it stands, and its end

  /** Registered bytes. */
  long size() {
    int whole = sendSlots.total() + receiveSlots.total();
    int parts = sourceSlots.total() + stagingSlots.total();
    return (long) whole * options.bufferSize() + (long) parts * options.fragmentSize() + incoming.size() + outgoing.size();
  }

  /** Messages that are lent; any thread. */
  int lent() {
    return incoming.lent() + outgoing.lent();
  }

  /** Nothing joins it any more: what is being registered is freed as soon as it is there. */
  void stop() {
    stopped = true;
  }

  /**
   * Deregisters everything and frees it, what is lent with the last message. After {@link #stop}, and when no operation can touch it any
   * more. Blocks; any thread.
   */
  void close() {
    sendSlots.close();
    receiveSlots.close();
    sourceSlots.close();
    stagingSlots.close();
    incoming.close();
    outgoing.close();
  }
}
