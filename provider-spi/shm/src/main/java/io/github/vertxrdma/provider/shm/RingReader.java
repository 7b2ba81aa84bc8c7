package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads the records of a ring buffer. The peer can change the ring at any time, so each length is read once and then checked. */
final class RingReader {
  final MemorySegment memory;
  private final int capacity;
  private long head;
  /** Read position that was last published to the writer. */
  private long published;
  /** Read position when the writer was last woken. */
  private long woken;

  private long at;
  private int length;
  private int type;
  private int to;
  private int immediate;

  RingReader(MemorySegment memory) {
    this.memory = memory;
    capacity = Ring.capacity(memory);
  }

  boolean hasNext() {
    return (int) Ring.INT.getAcquire(memory, Ring.DATA + (head & capacity - 1)) != 0;
  }

  /** Finds the next record, which stays the same until {@link #advance}. Returns false if there is none. */
  boolean next() {
    int begin = (int) head & capacity - 1;
    int found = (int) Ring.INT.getAcquire(memory, Ring.DATA + begin);
    if (found == 0) {
      return false;
    }
    if (found == Record.PADDING && begin > 0) {
      head += capacity - begin;
      begin = 0;
      found = (int) Ring.INT.getAcquire(memory, Ring.DATA);
    }
    if (found < Record.HEADER || found > capacity - begin) {
      throw new DamagedRingException("the ring buffer has a record of invalid length, " + found + " bytes at offset "
        + begin + " of " + capacity);
    }
    at = Ring.DATA + begin;
    length = found;
    int word = (int) Ring.INT.get(memory, at + Record.TYPE);
    type = word;
    to = (int) Ring.INT.get(memory, at + Record.TO);
    immediate = (int) Ring.INT.get(memory, at + Record.IMMEDIATE);
    if (found < Record.smallest(word & Record.TYPE_MASK)) {
      throw new DamagedRingException("the ring buffer has a record of type " + (word & Record.TYPE_MASK) + " with the invalid "
        + "length " + found);
    }
    return true;
  }

  long at() {
    return at;
  }

  int length() {
    return length;
  }

  int type() {
    return type & Record.TYPE_MASK;
  }

  boolean has(int flag) {
    return (type & flag) != 0;
  }

  int to() {
    return to;
  }

  int immediate() {
    return immediate;
  }

  int readInt(int offset) {
    return (int) Ring.INT.get(memory, at + offset);
  }

  byte[] readData(int offset) {
    byte[] data = new byte[length - offset];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at + offset, data, 0, data.length);
    return data;
  }

  long readLong(int offset) {
    return (long) Ring.LONG.get(memory, at + offset);
  }

  /** Moves to the next record. The writer reuses the memory of the current one only after {@link #publish}. */
  void advance() {
    head += RingWriter.aligned(length);
  }

  /** Returns whether a quarter of the ring was read since the last {@link #publish}. */
  boolean isDue() {
    return head - published >= capacity / 4;
  }

  /** Publishes the read position to the writer. */
  void publish() {
    if (published != head) {
      published = head;
      Ring.LONG.setRelease(memory, Ring.HEAD, head);
    }
  }

  /** Returns whether the writer waits for room and must be woken. True once. Called after {@link #publish}. */
  boolean takeWriterWaits() {
    if (head == woken || (int) Ring.INT.getAcquire(memory, Ring.WRITER_WAITS) == 0) {
      return false;
    }
    Ring.INT.set(memory, Ring.WRITER_WAITS, 0);
    woken = head;
    return true;
  }
}
