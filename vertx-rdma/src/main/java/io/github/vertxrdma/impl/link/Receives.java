package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The receives posted on one receive queue, an endpoint's own or a shared one. What peers are granted never exceeds what is posted.
 * Confined to the loop.
 */
final class Receives {
  private final DeviceLoop loop;
  private final ReceiveQueue queue;
  private final List<ReceiveSlot> slots = new ArrayList<>();
  private final ArrayDeque<ReceiveSlot> unposted = new ArrayDeque<>();
  private final int reserve;
  private int granted;
  private boolean closed;

  /** @param reserve receives beyond those granted, for the provider's own messages */
  Receives(DeviceLoop loop, ReceiveQueue queue, int reserve) {
    this.loop = loop;
    this.queue = queue;
    this.reserve = reserve;
  }

  ReceiveQueue queue() {
    return queue;
  }

  int granted() {
    return granted;
  }

  /** Receives that may still be granted. */
  int left() {
    return queue.capacity() - reserve - granted;
  }

  /** Whether so many more can be granted; of a shared queue three quarters are left, so that links to come get what the options say. */
  boolean spare(int receives) {
    return left() - receives >= (queue.shared() ? queue.capacity() / 4 * 3 : 0);
  }

  int posted() {
    return slots.size() - unposted.size();
  }

  /** Slots that must be reserved in the loop's pool before {@link #grant} of so many. */
  int needed(int receives) {
    return Math.max(0, granted + receives + reserve - slots.size());
  }

  /**
   * Posts what is missing for a grant of so many; the slots were reserved. They count as granted in any case, until {@link #ungrant}.
   *
   * @return false if the queue cannot hold them, or does not take all of them now
   */
  boolean grant(int receives) {
    granted += receives;
    int missing = needed(0);
    if (slots.size() + missing > queue.capacity()) {
      return false;
    }
    for (int i = 0; i < missing; i++) {
      ReceiveSlot slot = loop.receiveSlots.take();
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
    return queue.post(slot.id(), slot.region, slot.offset, loop.receiveSlots.slotSize()) == Status.OK;
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
        loop.receiveSlots.release(slot);
      }
      slots.clear();
    }
  }
}
