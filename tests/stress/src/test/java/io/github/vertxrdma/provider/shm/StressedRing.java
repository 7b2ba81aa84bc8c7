package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

abstract class StressedRing {
  static final int RECORD = 32;

  private final MemorySegment memory = MemorySegment.ofArray(new long[(int) (Ring.DATA + Ring.SMALLEST) / Long.BYTES]);
  final RingWriter writer = new RingWriter(memory);
  final RingReader reader = new RingReader(memory);

  /** @return false if there is no room */
  final boolean write(int length, long word) {
    long at = writer.claim(length);
    if (at < 0) {
      return false;
    }
    Ring.INT.set(memory, at + Record.TYPE, Record.SEND);
    Ring.LONG.set(memory, at + Record.HEADER, word);
    Ring.LONG.set(memory, at + length - Long.BYTES, word);
    writer.publish(at, length);
    return true;
  }

  /** @return the word; 0 if there is no record, -1 if the record is torn */
  final long read(int length) {
    if (!reader.next()) {
      return 0;
    }
    boolean whole = reader.type() == Record.SEND && reader.length() == length
      && reader.readLong(Record.HEADER) == reader.readLong(length - Long.BYTES);
    long word = whole ? reader.readLong(Record.HEADER) : -1;
    reader.advance();
    return word;
  }
}
