package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The reading end of a ring, in a file of the peer, who may have written anything anywhere: lengths are read once and checked. What a
 * record says beyond its header is for its handler to check. Confined to the queue's thread.
 */
final class RingReader {
  private final MemorySegment memory;
  private final int capacity;
  private long head;
  /** Up to where the writer knows. */
  private long told;
  /** Up to where it was read when the writer was woken last. */
  private long woken;

  // The record that next() found.
  private long at;
  private int length;
  private int type;
  private int to;
  private int immediate;

  /** @param memory a ring's file, of a size that {@link Ring#capacity} knows */
  RingReader(MemorySegment memory) {
    this.memory = memory;
    capacity = Ring.capacity(memory);
  }

  MemorySegment memory() {
    return memory;
  }

  /** Whether something is there to be read, as far as its length says. */
  boolean hasNext() {
    return (int) Ring.INT.getAcquire(memory, Ring.DATA + (head & capacity - 1)) != 0;
  }

  /**
   * Finds the next record, again and again the same until {@link #advance}.
   *
   * @throws DamagedRingException if its length cannot be one
   */
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
      throw new DamagedRingException("a record of " + found + " bytes at " + begin + " of " + capacity);
    }
    at = Ring.DATA + begin;
    length = found;
    int word = (int) Ring.INT.get(memory, at + Record.TYPE);
    type = word;
    to = (int) Ring.INT.get(memory, at + Record.TO);
    immediate = (int) Ring.INT.get(memory, at + Record.IMMEDIATE);
    if (found < Record.smallest(word & Record.TYPE_MASK)) {
      throw new DamagedRingException("a record of type " + (word & Record.TYPE_MASK) + " with " + found + " bytes");
    }
    return true;
  }

  /** Offset of the record in {@link #memory}. */
  long at() {
    return at;
  }

  /** Bytes of the record, header included. */
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

  /** The record's bytes behind its fields. */
  byte[] readData(int offset) {
    byte[] data = new byte[length - offset];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at + offset, data, 0, data.length);
    return data;
  }

  long readLong(int offset) {
    return (long) Ring.LONG.get(memory, at + offset);
  }

  /** Moves behind a record that was carried out. Its bytes stay as they are until {@link #tell} gives the room to the writer. */
  void advance() {
    head += Record.aligned(length);
  }

  /** Returns whether so much was read since the writer was told of it that it should be told before more is read. */
  boolean isDue() {
    return head - told >= capacity / 4;
  }

  /** Lets the writer know how far it was read. */
  void tell() {
    if (told != head) {
      told = head;
      Ring.LONG.setRelease(memory, Ring.HEAD, head);
    }
  }

  /** Whether the writer waits for room, and was not woken since there is more; told once, and asked after {@link #tell}. */
  boolean takeWriterWaits() {
    if (head == woken || (int) Ring.INT.getAcquire(memory, Ring.WRITER_WAITS) == 0) {
      return false;
    }
    Ring.INT.set(memory, Ring.WRITER_WAITS, 0);
    woken = head;
    return true;
  }
}
