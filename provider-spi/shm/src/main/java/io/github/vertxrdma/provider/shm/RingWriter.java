package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

/**
 * The writing end of a ring. A record is filled where {@link #claim} says, then {@link #publish}ed. The
 * place of the next record's length is cleared before, so the reader needs to look at nothing but lengths. Confined to the queue's thread.
 */
final class RingWriter {
  /** Reason of an end that follows when a ring {@link #isOvertaken}. */
  static final String OVERTAKEN = "the peer has read more than was written";
  /** Free bytes that are never claimed: the length behind the last record, and the record that leads to the next ring. */
  private static final int RESERVE = 64;

  private final MemorySegment memory;
  private final int capacity;
  private long tail;
  private long head;
  /** Bytes of padding before the record that is claimed. */
  private int padding;

  /** @param memory zeroed, of a size that {@link Ring#capacity} knows */
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

  /** Bytes written so far. */
  long written() {
    return tail;
  }

  /** Whether the reader has read all that was written. */
  boolean isRead() {
    return (long) Ring.LONG.getAcquire(memory, Ring.HEAD) == tail;
  }

  /** Bytes of the longest record: several of them fit, so that one can be read while the next is written. */
  int longestRecord() {
    return capacity / 4;
  }

  /**
   * Finds room for a record.
   *
   * @return where in {@link #memory} it is to be, or -1 if there is no room now, or -2 if the reader's word of what it read is impossible
   */
  long claim(int length) {
    return claim(length, RESERVE);
  }

  /** As {@link #claim(int)}, from what is reserved for it. */
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

  /** Lets the reader see the record that was claimed last and filled. */
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

  /** Whether the reader has read since the last look, or its word of that is impossible: that stays so, see {@link #isOvertaken}. */
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

  /** Whether the reader says that it has read what was not written, or less than before. */
  boolean isOvertaken() {
    return isImpossible((long) Ring.LONG.getAcquire(memory, Ring.HEAD));
  }

  private boolean isImpossible(long read) {
    return read < head || read > tail;
  }

  /** Asks to be woken when there is room, or takes that back. */
  void waits(boolean on) {
    Ring.INT.setRelease(memory, Ring.WRITER_WAITS, on ? 1 : 0);
  }
}
