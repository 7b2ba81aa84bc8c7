package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.wire.RegionFrames;

/**
 * Notified writes of a link with their data in the frame, in both directions. Confirmed by a count, as frames are ordered: in a write of
 * the other direction, or in a frame at the end of a turn. Confined to the link's loop.
 */
final class InlineWrites {
  private final Link link;
  /** Sent and unconfirmed writes. Some have ended. */
  private final LazyQueue<RegionCall<?>> sent = new LazyQueue<>();
  /** Executed writes of the peer to be confirmed. */
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

  int unconfirmed() {
    return sent.size();
  }

  /** Confirms the next writes of this side. Refused ones have been answered. */
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

  /** Counts a write of the peer as executed or refused. */
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
