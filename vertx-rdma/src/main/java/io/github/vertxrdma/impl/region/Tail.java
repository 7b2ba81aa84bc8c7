package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.wire.RegionFrames;

/** The frame that follows the data of a write, if there is one, sent so that it cannot arrive before the data. */
final class Tail {
  final boolean notifies;
  private final RegionOperation<?> operation;
  private final Lease lease;
  private final boolean ordered;
  private final long tag;
  private boolean queued;
  private boolean sent;

  /** @param notifies whether the owner's application is told, with the tag */
  Tail(RegionOperation<?> operation, boolean notifies, long tag) {
    this.operation = operation;
    this.lease = operation.lease;
    this.notifies = notifies;
    this.tag = tag;
    this.ordered = notifies
      ? lease.strategies.notified() == Strategies.Notify.TOGETHER : lease.strategies.write() == Strategies.Write.FLUSHED;
  }

  /** Whether the data must be delivered before its completion, since nothing else proves it. */
  boolean delivered() {
    return !ordered;
  }

  /** Whether it goes in one post list with the last part. */
  boolean together() {
    return ordered;
  }

  boolean isNeeded() {
    return notifies || ordered;
  }

  /** Takes its turn among the notifications. */
  void queue() {
    if (notifies) {
      queued = true;
      lease.queue(operation);
    }
  }

  void dequeue() {
    if (queued) {
      queued = false;
      lease.dequeue(operation);
    }
  }

  boolean isNext() {
    return !notifies || lease.isNext(operation);
  }

  /** Sends it, if it was not sent and it is its turn. */
  void send() {
    if (!sent && isNext()) {
      sent = true;
      link().sendFrame(type(), 0, operation.id, handle(), payload());
      dequeue();
    }
  }

  /** Sends it directly behind a part. */
  void sendWith(RmaHandler done, long at, int size) {
    sent = true;
    link().rma().writeAnd(lease.remote(), operation.offset + at, size, type(), operation.id, handle(), payload(), done);
    dequeue();
  }

  private Link link() {
    return lease.peer.link;
  }

  private int type() {
    return notifies ? RegionFrames.NOTIFY : RegionFrames.FLUSH;
  }

  private long handle() {
    return notifies ? lease.description.handle() : 0;
  }

  private byte[] payload() {
    return notifies ? RegionFrames.words(operation.offset, operation.length, tag) : null;
  }
}
