package io.github.vertxrdma.provider.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that depend on a seed and their index, to detect wrong, moved or missing data. */
public final class Pattern {
  private Pattern() {
  }

  static byte at(long seed, long i) {
    long x = (seed * 0x9E3779B97F4A7C15L + i) * 0xBF58476D1CE4E5B9L;
    return (byte) (x >>> 37 ^ x >>> 11);
  }

  public static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = at(seed, i);
    }
    return bytes;
  }

  public static void fill(MemorySegment segment, long offset, long length, long seed) {
    for (long i = 0; i < length; i++) {
      segment.set(ValueLayout.JAVA_BYTE, offset + i, at(seed, i));
    }
  }

  public static long mismatch(MemorySegment segment, long offset, long length, long seed) {
    for (long i = 0; i < length; i++) {
      if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != at(seed, i)) {
        return i;
      }
    }
    return -1;
  }

  public static void check(MemorySegment segment, long offset, long length, long seed) {
    long wrong = mismatch(segment, offset, length, seed);
    if (wrong >= 0) {
      throw new AssertionError("byte " + wrong + " of " + length + " at " + offset + " is "
        + segment.get(ValueLayout.JAVA_BYTE, offset + wrong) + ", not " + at(seed, wrong));
    }
  }

  public static void check(byte[] bytes, int length, long seed) {
    if (bytes.length != length) {
      throw new AssertionError("a message of " + bytes.length + " bytes, not " + length);
    }
    check(MemorySegment.ofArray(bytes), 0, length, seed);
  }
}
