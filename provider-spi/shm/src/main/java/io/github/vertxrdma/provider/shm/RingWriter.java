package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

/**
 * Writes records to a ring buffer. The caller writes at the offset from {@link #claim}, then calls {@link #publish}. That first sets the
 * following record's length to 0, so the reader looks at lengths only.
 */
final class RingWriter {
  static final String OVERTAKEN = "the peer has read more than was written";
  /** Bytes kept free for the 0 after the last record, and for a {@link Record#NEXT_RING} record. */
  private static final int RESERVE = 64;

  final MemorySegment memory;
  final int capacity;
  private long tail;
  private long head;
  private int padding;

  RingWriter(MemorySegment memory) {
    this.memory = memory;
    capacity = Ring.capacity(memory);
  }

  static int aligned(int length) {
    return length + 7 & -8;
  }

  long written() {
    return tail;
  }

  boolean isRead() {
    return (long) Ring.LONG.getAcquire(memory, Ring.HEAD) == tail;
  }

  /** Returns the maximum bytes of a record: a quarter of the ring, so that one is read while the next is written. */
  int longestRecord() {
    return capacity / 4;
  }

  /**
   * Reserves room for a record.
   *
   * @return offset in {@link #memory}; -1 if there is no room now; -2 if the reader's position is impossible
   */
  long claim(int length) {
    return claim(length, RESERVE);
  }

  /** Reserves room for a record, also in the bytes that {@link #claim(int)} keeps free. */
  long claimLast(int length) {
    return claim(length, Long.BYTES);
  }

  private long claim(int length, int reserve) {
    int wanted = aligned(length);
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

  void publish(long at, int length) {
    int begin = (int) tail & capacity - 1;
    tail += padding + aligned(length);
    Ring.INT.set(memory, Ring.DATA + (tail & capacity - 1), 0);
    if (padding == 0) {
      Ring.INT.setRelease(memory, at, length);
    } else {
      Ring.INT.set(memory, at, length);
      Ring.INT.setRelease(memory, Ring.DATA + begin, Record.PADDING);
    }
  }

  /** Returns whether the reader has advanced since the last call, or has an impossible position. */
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

  /** Returns whether the reader's position is beyond the written bytes, or has moved back. */
  boolean isOvertaken() {
    return isImpossible((long) Ring.LONG.getAcquire(memory, Ring.HEAD));
  }

  private boolean isImpossible(long read) {
    return read < head || read > tail;
  }

  void waits(boolean on) {
    Ring.INT.setRelease(memory, Ring.WRITER_WAITS, on ? 1 : 0);
  }
}
