package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.wire.RegionFrames;

/**
 * The notified writes of a link whose data goes in the notification, in both directions, and their confirmation: a number, since frames
 * keep their order, that a write the other way takes along or that goes alone at the end of the turn. Confined to the link's loop.
 */
final class InlineWrites {
  private final Link link;
  /** Sent and not known to be dealt with; some of them are over. */
  private final LazyQueue<RegionCall<?>> sent = new LazyQueue<>();
  /** Of the peer's, dealt with and not said so. */
  private int owed;

  InlineWrites(Link link) {
    this.link = link;
  }

  void send(RegionCall<?> write, long handle, byte[] payload) {
    int count = Math.min(owed, RegionFrames.INLINE_COUNT);
    owed -= count;
    sent.add(write);
    link.sendFrame(RegionFrames.WRITE_NOTIFY, count, write.id, handle, payload);
  }

  /** Those sent that are not known to be dealt with. */
  int unconfirmed() {
    return sent.size();
  }

  /** So many more of this side's are dealt with; those refused have been told so. */
  void confirmed(long count) {
    if (count < 0 || count > sent.size()) {
      throw new IllegalArgumentException(count + " notified writes are confirmed where " + sent.size() + " are under way");
    }
    for (long i = 0; i < count; i++) {
      RegionCall<?> write = sent.poll();
      if (!write.over) {
        link.rma().countInlineWrite(write.length);
        write.confirmed(0);
      }
    }
  }

  /** One of the peer's was executed or refused. */
  void dealtWith() {
    owed++;
    link.wantsTurnEnd();
  }

  void turnEnd() {
    if (owed > 0) {
      int count = owed;
      owed = 0;
      link.sendFrame(RegionFrames.NOTIFIED, 0, count, 0, null);
    }
  }
}
