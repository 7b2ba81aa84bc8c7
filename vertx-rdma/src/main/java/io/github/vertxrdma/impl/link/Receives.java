package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.memory.SlotPool;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * The receives posted on one receive queue, an endpoint's own or a shared one. What peers are granted never exceeds what is posted.
 * Confined to the loop.
 */
final class Receives {
  private final DeviceLoop loop;
  private final SlotPool<ReceiveSlot> pool;
  private final ReceiveQueue queue;
  private final ArrayList<ReceiveSlot> slots = new ArrayList<>();
  private final ArrayDeque<ReceiveSlot> unposted = new ArrayDeque<>();
  private final int reserve;
  private int granted;
  /** Slots that are promised and not posted. */
  private int coming;
  private boolean closed;

  /** @param reserve receives beyond those granted, for the provider's own messages */
  Receives(DeviceLoop loop, ReceiveQueue queue, int reserve) {
    this.loop = loop;
    this.pool = loop.memory.receiveSlots;
    this.queue = queue;
    this.reserve = reserve;
  }

  ReceiveQueue queue() {
    return queue;
  }

  boolean shared() {
    return queue.shared();
  }

  /** Receives it can hold. */
  int capacity() {
    return queue.capacity();
  }

  /** Receives granted or promised. */
  int granted() {
    return granted;
  }

  /** Receives that may still be granted. */
  int left() {
    return queue.capacity() - reserve - granted;
  }

  /** Whether so many more can be granted; of a shared queue three quarters are left, so that there can be many links. */
  boolean spare(int receives) {
    return left() - receives >= (queue.shared() ? queue.capacity() / 4 * 3 : 0);
  }

  int posted() {
    return slots.size() - unposted.size();
  }

  /**
   * So many more will be granted: they count from now on. {@link #post} follows, or {@link #withdraw}.
   *
   * @return the slots to set aside in the loop's pool, and to post before the peer hears of the grant
   */
  int promise(int receives) {
    granted += receives;
    int missing = Math.max(0, granted + reserve - slots.size() - coming);
    coming += missing;
    return missing;
  }

  /** What was promised is not wanted. */
  void withdraw(int receives, int promisedSlots) {
    granted -= receives;
    coming -= promisedSlots;
  }

  /**
   * Posts slots that were promised. What they are for stays granted in any case, until {@link #ungrant}.
   *
   * @return false if the queue cannot hold them, or does not take all of them now
   */
  boolean post(int promisedSlots) {
    coming -= promisedSlots;
    if (slots.size() + promisedSlots > queue.capacity()) {
      return false;
    }
    for (int i = 0; i < promisedSlots; i++) {
      ReceiveSlot slot = pool.take();
      slot.receives = this;
      slots.add(slot);
      if (!post(slot)) {
        unposted.add(slot);
      }
    }
    return unposted.isEmpty();
  }

  /** A peer with so many receives is gone. Those of a shared queue stay posted for the next. */
  void ungrant(int receives) {
    granted -= receives;
  }

  private boolean post(ReceiveSlot slot) {
    return queue.post(slot.id(), slot.region, slot.offset, pool.slotSize()) == Status.OK;
  }

  /** The frame in a slot was handled: posts it again and then gives its credit back. */
  void handled(ReceiveSlot slot, LinkReceiver receiver, boolean data) {
    if (closed) {
      return;
    }
    if (unposted.isEmpty() && post(slot)) {
      receiver.reposted(data);
      return;
    }
    slot.receiver = receiver;
    slot.data = data;
    unposted.add(slot);
    loop.repost(this);
  }

  /** Tries again what could not be posted. @return true when nothing is left */
  boolean repost() {
    while (!closed && !unposted.isEmpty()) {
      ReceiveSlot slot = unposted.peek();
      if (!post(slot)) {
        return false;
      }
      unposted.poll();
      if (slot.receiver != null) {
        slot.receiver.reposted(slot.data);
        slot.receiver = null;
      }
    }
    return true;
  }

  void completed(ReceiveSlot slot, CompletionBatch batch, int i) {
    Endpoint endpoint = batch.endpoint(i);
    Link link = endpoint == null ? null : loop.link(endpoint);
    int status = batch.status(i);
    if (status == Status.OK && link != null) {
      link.receiver.received(slot, this, (int) batch.length(i));
    } else if (link == null && status == Status.OK) {
      // Came for a link that was closed meanwhile: the receive stays the queue's.
      if (!closed && queue.shared() && !post(slot)) {
        slot.receiver = null;
        unposted.add(slot);
        loop.repost(this);
      }
    } else if (link != null && status != Status.FLUSHED && status != Status.CANCELLED) {
      link.failed(status, "a receive failed", batch.error(i));
    }
  }

  /** The queue, or its endpoint, was closed: no receive touches memory any more. */
  void close() {
    if (!closed) {
      closed = true;
      unposted.clear();
      for (ReceiveSlot slot : slots) {
        slot.receives = null;
        slot.receiver = null;
        pool.release(slot);
      }
      slots.clear();
    }
  }
}
