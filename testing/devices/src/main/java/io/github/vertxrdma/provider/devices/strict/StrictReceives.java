package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.forward.ForwardingReceiveQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

final class StrictReceives extends ForwardingReceiveQueue {
  static final byte POISON = (byte) 0xd5;
  final Ledger ledger = new Ledger();
  /** Null for a shared receive queue without an endpoint. */
  private StrictQueue queue;

  StrictReceives(StrictDomain domain, ReceiveQueue raw) {
    super(domain, raw);
  }

  void usedOn(StrictQueue one) {
    queue = one;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (queue != null) {
      queue.checkThread("post of a receive");
    }
    byte[] before = poison(region, offset, length);
    ledger.posted();
    int status = super.post(requestId, region, offset, length);
    if (status != Status.OK) {
      ledger.completed();
      restore(region, offset, before);
    }
    return status;
  }

  /**
   * Overwrites a range that the device now owns.
   *
   * @return the old bytes, or null if the range exceeds its region
   */
  static byte[] poison(MemoryRegion region, long offset, long length) {
    MemorySegment range = StrictRegion.range(region, offset, length);
    if (range == null || length > Integer.MAX_VALUE - 8) {
      return null;
    }
    byte[] before = range.toArray(ValueLayout.JAVA_BYTE);
    range.fill(POISON);
    return before;
  }

  static void restore(MemoryRegion region, long offset, byte[] before) {
    if (before != null) {
      MemorySegment.copy(before, 0, StrictRegion.range(region, offset, before.length), ValueLayout.JAVA_BYTE, 0, before.length);
    }
  }
}
