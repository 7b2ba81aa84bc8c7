package io.github.vertxrdma.provider.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that depend on a seed and on their place, so that tests detect wrong, moved or missing data. */
public final class Pattern {
  private Pattern() {
  }

  static byte at(long seed, long i) {
    long x = (seed * 0x9E3779B97F4A7C15L + i) * 0xBF58476D1CE4E5B9L;
    return (byte) (x >>> 37 ^ x >>> 11);
  }

  /** Returns a pattern of a length. */
  public static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = at(seed, i);
    }
    return bytes;
  }

  /** Fills a range of memory with the pattern. */
  public static void fill(MemorySegment segment, long offset, long length, long seed) {
    for (long i = 0; i < length; i++) {
      segment.set(ValueLayout.JAVA_BYTE, offset + i, at(seed, i));
    }
  }

  /** Returns the index of the first byte in the range that differs from the pattern, or -1. */
  public static long mismatch(MemorySegment segment, long offset, long length, long seed) {
    for (long i = 0; i < length; i++) {
      if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != at(seed, i)) {
        return i;
      }
    }
    return -1;
  }

  /** Checks a range. @throws AssertionError if the range is not the pattern */
  public static void check(MemorySegment segment, long offset, long length, long seed) {
    long wrong = mismatch(segment, offset, length, seed);
    if (wrong >= 0) {
      throw new AssertionError("byte " + wrong + " of " + length + " at " + offset + " is "
        + segment.get(ValueLayout.JAVA_BYTE, offset + wrong) + ", not " + at(seed, wrong));
    }
  }

  /** Checks bytes. @throws AssertionError if the bytes are not the pattern of that length */
  public static void check(byte[] bytes, int length, long seed) {
    if (bytes.length != length) {
      throw new AssertionError("a message of " + bytes.length + " bytes, not " + length);
    }
    check(MemorySegment.ofArray(bytes), 0, length, seed);
  }
}
