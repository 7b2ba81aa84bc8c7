package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.device.LoopEndpoint.Cost;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;

/**
 * The receives of one receive queue: an endpoint's own, or that which the endpoints of a loop share. As many are posted as are granted to
 * peers. Each comes back to the queue, whatever became of it, before the application hears of its message. Confined to the loop.
 */
public final class PostedReceives {
  private final DeviceLoop loop;
  private final ReceiveQueue queue;
  /** Its slots, posted or not, linked to each other, and how many they are. */
  private ReceiveSlot slots;
  private int count;
  private final LazyQueue<Unposted> unposted = new LazyQueue<>();
  private final int reserve;
  private int granted;
  /** Slots that are promised and not posted. */
  private int coming;
  private boolean closed;

  /** Slot that waits to be posted again. @param from sender of the frame that it had, null if there was none @param cost of that frame */
  private record Unposted(ReceiveSlot slot, LoopEndpoint from, Cost cost) {
  }

  /** @param reserve receives beyond those granted, for the provider's own messages */
  PostedReceives(DeviceLoop loop, ReceiveQueue queue, int reserve) {
    this.loop = loop;
    this.queue = queue;
    this.reserve = reserve;
  }

  boolean shared() {
    return queue.shared();
  }

  ReceiveQueue queue() {
    return queue;
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

  /**
   * Receives that links may be granted beyond their first grants; of a shared queue three quarters are left, so that there can be many
   * links.
   */
  int spare() {
    return left() - (queue.shared() ? queue.capacity() / 4 * 3 : 0);
  }

  /** Receives that the fabric has now. */
  public int posted() {
    return count - unposted.size();
  }

  /**
   * Counts receives that will be granted. {@link #post} follows, or {@link #withdraw}.
   *
   * @return the slots to set aside in the loop's pool, and to post before the peer hears of the grant
   */
  int promise(int receives) {
    granted += receives;
    int missing = Math.max(0, granted + reserve - count - coming);
    coming += missing;
    return missing;
  }

  /** Takes a promise back. */
  void withdraw(int receives, int promisedSlots) {
    granted -= receives;
    coming -= promisedSlots;
  }

  /**
   * Posts slots that were promised. Their receives stay granted in any case, until {@link #ungrant}.
   *
   * @return false if the queue cannot hold them, or does not take all of them now
   */
  boolean post(int promisedSlots) {
    coming -= promisedSlots;
    if (count + promisedSlots > queue.capacity()) {
      return false;
    }
    for (int i = 0; i < promisedSlots; i++) {
      ReceiveSlot slot = loop.memory.receiveSlots.take();
      slot.receives = this;
      slot.next = slots;
      slots = slot;
      count++;
      if (!post(slot)) {
        unposted.add(new Unposted(slot, null, Cost.NOTHING));
      }
    }
    loop.turn.wake();
    return unposted.isEmpty();
  }

  /** Takes back receives of a peer that is gone. Those of a shared queue stay posted for the next. */
  void ungrant(int receives) {
    granted -= receives;
  }

  private boolean post(ReceiveSlot slot) {
    return queue.post(slot.id(), slot.region, slot.offset, loop.options.bufferSize()) == Status.OK;
  }

  void completed(ReceiveSlot slot, CompletionBatch batch, int i) {
    Endpoint endpoint = batch.endpoint(i);
    LoopEndpoint from = endpoint == null ? null : loop.endpoints.find(endpoint);
    int status = batch.status(i);
    if (status == Status.OK && from != null) {
      Cost cost = Cost.NOTHING;
      try {
        MemorySegment place = batch.memory(i);
        cost = place == null ? from.received(slot.region.segment(), slot.offset, (int) batch.length(i))
          : from.received(place, batch.offset(i), (int) batch.length(i));
      } catch (Throwable e) {
        loop.broken(from, e);
      }
      back(slot, from, cost);
      if (cost != Cost.NOTHING) {
        try {
          from.deliver(cost);
        } catch (Throwable e) {
          loop.broken(from, e);
        }
      }
      return;
    }
    // A receive of a shared queue serves the next message, whatever ended this one, unless the queue itself is closed. One of an
    // endpoint's own ends with the endpoint.
    if (queue.shared() && !(endpoint == null && (status == Status.FLUSHED || status == Status.CANCELLED))) {
      back(slot, null, Cost.NOTHING);
    }
    if (from != null && status != Status.FLUSHED && status != Status.CANCELLED) {
      from.failed(status, "a receive failed", batch.error(i));
    }
  }

  /** Posts a slot again, then counts its credit. */
  private void back(ReceiveSlot slot, LoopEndpoint from, Cost cost) {
    if (closed) {
      return;
    }
    if (unposted.isEmpty() && post(slot)) {
      if (cost != Cost.NOTHING) {
        from.reposted(cost);
      }
      return;
    }
    unposted.add(new Unposted(slot, from, cost));
    loop.turn.repost(this);
  }

  /** Tries again what could not be posted. @return true when nothing is left */
  boolean repost() {
    while (!closed && !unposted.isEmpty()) {
      Unposted next = unposted.peek();
      if (!post(next.slot)) {
        return false;
      }
      unposted.poll();
      if (next.cost != Cost.NOTHING) {
        next.from.reposted(next.cost);
      }
    }
    return true;
  }

  /** Gives the slots back: the queue, or its endpoint, was closed, and no receive touches memory any more. */
  void close() {
    if (!closed) {
      closed = true;
      unposted.clear();
      for (ReceiveSlot slot; (slot = slots) != null; count--) {
        slots = slot.next;
        slot.next = null;
        slot.receives = null;
        loop.memory.receiveSlots.release(slot);
      }
    }
  }
}
