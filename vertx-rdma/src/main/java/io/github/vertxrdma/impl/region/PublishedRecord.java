package io.github.vertxrdma.impl.region;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Record that can be read while it is written: version (8 bytes), data length (4), checksum (4), data, in native byte order. The version is
 * odd during a write, and grows by 2 with each write. The CRC32C of version, length and data detects torn reads.
 */
public final class PublishedRecord {
  public static final int HEADER = 16;
  static final int LENGTH = 8;
  static final int TORN = -1;
  static final int EMPTY = -2;
  static final int TOO_LARGE = -3;

  private static final VarHandle VERSION = ValueLayout.JAVA_LONG.varHandle();
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private PublishedRecord() {
  }

  static void write(MemorySegment memory, long at, byte[] data) {
    long version = ((long) VERSION.get(memory, at) | 1) + 1;
    VERSION.setVolatile(memory, at, version - 1);
    VarHandle.storeStoreFence();
    memory.set(INT, at + 8, data.length);
    memory.set(INT, at + 12, checksum(version, ByteBuffer.wrap(data)));
    MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, at + HEADER, data.length);
    VERSION.setVolatile(memory, at, version);
  }

  public static int check(byte[] bytes) {
    MemorySegment m = MemorySegment.ofArray(bytes);
    long version = m.get(LONG, 0);
    if (version == 0) {
      return EMPTY;
    }
    int length = m.get(INT, 8);
    if ((version & 1) != 0 || length < 0) {
      return TORN;
    }
    if (length > bytes.length - HEADER) {
      return TOO_LARGE;
    }
    return checksum(version, ByteBuffer.wrap(bytes, HEADER, length)) == m.get(INT, 12) ? length : TORN;
  }

  private static int checksum(long version, ByteBuffer data) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(version).putInt(data.remaining()).flip());
    crc.update(data);
    return (int) crc.getValue();
  }
}
