package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

/**
 * Writing end of a ring. A record is filled at the offset that {@link #claim} returns, then {@link #publish}ed. The length of the next
 * record is cleared before, so the reader needs to check only lengths. Confined to the queue's thread.
 */
final class RingWriter {
  /** Reason of the end of a peering whose ring {@link #isOvertaken}. */
  static final String OVERTAKEN = "the peer has read more than was written";
  /** Free bytes that are never claimed: the length after the last record, and the record that leads to the next ring. */
  private static final int RESERVE = 64;

  private final MemorySegment memory;
  private final int capacity;
  private long tail;
  private long head;
  /** Bytes of padding before the claimed record. */
  private int padding;

  /** @param memory zeroed, of a size that {@link Ring#capacity} accepts */
  RingWriter(MemorySegment memory) {
    this.memory = memory;
    capacity = Ring.capacity(memory);
  }

  MemorySegment memory() {
    return memory;
  }

  int capacity() {
    return capacity;
  }

  /** Returns the number of bytes written so far. */
  long written() {
    return tail;
  }

  /** Returns whether the reader has read everything. */
  boolean isRead() {
    return (long) Ring.LONG.getAcquire(memory, Ring.HEAD) == tail;
  }

  /** Returns the maximum length of a record in bytes. Several of them fit, so that one can be read while the next is written. */
  int longestRecord() {
    return capacity / 4;
  }

  /**
   * Reserves room for a record.
   *
   * @return its offset in {@link #memory}, or -1 if there is no room now, or -2 if the reader's position is impossible
   */
  long claim(int length) {
    return claim(length, RESERVE);
  }

  /** Reserves room like {@link #claim(int)}, in the reserve for the last record. */
  long claimLast(int length) {
    return claim(length, Long.BYTES);
  }

  private long claim(int length, int reserve) {
    int wanted = Record.aligned(length);
    int at = (int) tail & capacity - 1;
    padding = wanted > capacity - at ? capacity - at : 0;
    long end = tail + padding + wanted + reserve;
    if (end - head > capacity) {
      long now = (long) Ring.LONG.getAcquire(memory, Ring.HEAD);
      if (isImpossible(now)) {
        return -2;
      }
      head = now;
      if (end - head > capacity) {
        return -1;
      }
    }
    return Ring.DATA + (padding == 0 ? at : 0);
  }

  /** Makes the last claimed record visible to the reader. */
  void publish(long at, int length) {
    int begin = (int) tail & capacity - 1;
    tail += padding + Record.aligned(length);
    Ring.INT.set(memory, Ring.DATA + (tail & capacity - 1), 0);
    if (padding == 0) {
      Ring.INT.setRelease(memory, at, length);
    } else {
      Ring.INT.set(memory, at, length);
      Ring.INT.setRelease(memory, Ring.DATA + begin, Record.PADDING);
    }
  }

  /**
   * Returns whether the reader has advanced since the last call, or its position is impossible, which is permanent; see {@link
   * #isOvertaken}.
   */
  boolean moved() {
    long now = (long) Ring.LONG.getAcquire(memory, Ring.HEAD);
    if (now == head) {
      return false;
    }
    if (!isImpossible(now)) {
      head = now;
    }
    return true;
  }

  /** Returns whether the reader claims to have read bytes that were not written, or less than before. */
  boolean isOvertaken() {
    return isImpossible((long) Ring.LONG.getAcquire(memory, Ring.HEAD));
  }

  private boolean isImpossible(long read) {
    return read < head || read > tail;
  }

  /** Requests a wake-up when there is room, or cancels the request. */
  void waits(boolean on) {
    Ring.INT.setRelease(memory, Ring.WRITER_WAITS, on ? 1 : 0);
  }
}
