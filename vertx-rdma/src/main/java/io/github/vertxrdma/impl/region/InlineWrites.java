package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.device.LazyQueue;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.RegionFrames;

/**
 * Notified writes whose data is in the frame, for both directions of a link. The receiver confirms several writes together: in its next
 * write to the sender, or in a frame at the end of the poll.
 */
final class InlineWrites {
  private final Link link;
  private final LazyQueue<RegionCall<?>> sent = new LazyQueue<>();
  private int toConfirm;

  InlineWrites(Link link) {
    this.link = link;
  }

  void send(RegionCall<?> write, long handle, byte[] payload) {
    int count = Math.min(toConfirm, RegionFrames.INLINE_COUNT);
    toConfirm -= count;
    sent.add(write);
    link.sendFrame(RegionFrames.WRITE_NOTIFY, count, write.id(), handle, payload);
  }

  int unconfirmed() {
    return sent.size();
  }

  void confirmed(long count) {
    if (count < 0 || count > sent.size()) {
      throw new IllegalArgumentException("it confirms " + count + " notified writes, but only " + sent.size() + " are in flight");
    }
    for (long i = 0; i < count; i++) {
      RegionCall<?> write = sent.poll();
      if (!write.ended) {
        link.rma().countInlineWrite(write.length);
        write.confirmed(0);
      }
    }
  }

  void countHandled() {
    toConfirm++;
    link.wantsTurnEnd();
  }

  void turnEnd() {
    if (toConfirm > 0) {
      int count = toConfirm;
      toConfirm = 0;
      link.sendFrame(RegionFrames.NOTIFIED, 0, count, 0, null);
    }
  }
}
