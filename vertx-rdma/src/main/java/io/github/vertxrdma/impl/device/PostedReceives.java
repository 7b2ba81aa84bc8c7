package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.device.LoopEndpoint.Cost;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Receives of one receive queue, which belongs to an endpoint or is shared by a loop's endpoints. As many are posted as are granted to
 * peers. A receive is posted again before the application gets its message.
 */
public final class PostedReceives {
  private final DeviceLoop loop;
  final ReceiveQueue queue;
  private ReceiveSlot slots;
  private int count;
  private final ArrayDeque<Unposted> unposted = new ArrayDeque<>(1);
  private final int reserve;
  private int granted;
  private int promised;
  private boolean closed;

  /** Slot to post again. @param from endpoint that received its frame, or null @param cost credit to return to the sender afterwards */
  private record Unposted(ReceiveSlot slot, LoopEndpoint from, Cost cost) {
  }

  /** @param reserve receives for the provider's own messages */
  PostedReceives(DeviceLoop loop, ReceiveQueue queue, int reserve) {
    this.loop = loop;
    this.queue = queue;
    this.reserve = reserve;
  }

  int granted() {
    return granted;
  }

  int left() {
    return queue.capacity() - reserve - granted;
  }

  /** Returns how many receives links may be granted beyond their first grants, for which a shared queue keeps three quarters. */
  int spare() {
    return left() - (queue.shared() ? queue.capacity() / 4 * 3 : 0);
  }

  public int posted() {
    return count - unposted.size();
  }

  /**
   * Counts receives as granted before they are posted. The caller then calls {@link #post} or {@link #withdraw}.
   *
   * @return number of slots to reserve in the loop's pool, and to post before the peer learns of the grant
   */
  int promise(int receives) {
    granted += receives;
    int missing = Math.max(0, granted + reserve - count - promised);
    promised += missing;
    return missing;
  }

  /** Revokes granted receives. Posted ones stay posted. @param promisedSlots number of slots that will not be posted */
  void withdraw(int receives, int promisedSlots) {
    granted -= receives;
    promised -= promisedSlots;
  }

  /** Posts slots that {@link #promise} counted. Returns false if the queue cannot take all of them now. */
  boolean post(int promisedSlots) {
    promised -= promisedSlots;
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
      postAgain(slot, from, cost);
      if (cost != Cost.NOTHING) {
        try {
          from.deliver(cost);
        } catch (Throwable e) {
          loop.broken(from, e);
        }
      }
      return;
    }
    // A shared queue gets its receive back unless it is closed.
    if (queue.shared() && !(endpoint == null && (status == Status.FLUSHED || status == Status.CANCELLED))) {
      postAgain(slot, null, Cost.NOTHING);
    }
    if (from != null && status != Status.FLUSHED && status != Status.CANCELLED) {
      from.failed(status, "a receive failed", batch.error(i));
    }
  }

  private void postAgain(ReceiveSlot slot, LoopEndpoint from, Cost cost) {
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

  /** Posts receives that the queue did not take before. @return true if all are posted */
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

  /** Releases the slots. Called when no receive can access memory any more. */
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
