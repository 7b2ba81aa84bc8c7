package io.github.vertxrdma.provider.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Bytes that depend on a seed and their index, to detect wrong, moved or missing data. */
public final class Pattern {
  /** A prime number, so that data moved by whole pages differs. */
  private static final int PERIOD = (1 << 20) + 7;
  private static final byte[] RANDOM = new byte[PERIOD];

  static {
    new SplittableRandom(PERIOD).nextBytes(RANDOM);
  }

  private Pattern() {
  }

  public static byte[] bytes(long seed, long length) {
    byte[] bytes = new byte[Math.toIntExact(length)];
    int start = (int) Math.floorMod(seed * 0x9E3779B97F4A7C15L, (long) PERIOD);
    for (int done = 0; done < length; start = 0) {
      int part = Math.min(bytes.length - done, PERIOD - start);
      System.arraycopy(RANDOM, start, bytes, done, part);
      done += part;
    }
    return bytes;
  }

  public static void fill(MemorySegment segment, long offset, long length, long seed) {
    MemorySegment.copy(MemorySegment.ofArray(bytes(seed, length)), 0, segment, offset, length);
  }

  public static long mismatch(MemorySegment segment, long offset, long length, long seed) {
    return MemorySegment.mismatch(segment, offset, offset + length, MemorySegment.ofArray(bytes(seed, length)), 0, length);
  }

  public static void check(MemorySegment segment, long offset, long length, long seed) {
    long wrong = mismatch(segment, offset, length, seed);
    if (wrong >= 0) {
      throw new AssertionError("byte " + wrong + " of " + length + " at " + offset + " is "
        + segment.get(ValueLayout.JAVA_BYTE, offset + wrong) + ", not " + bytes(seed, length)[(int) wrong]);
    }
  }

  public static void check(byte[] bytes, int length, long seed) {
    if (bytes.length != length) {
      throw new AssertionError("a message of " + bytes.length + " bytes, not " + length);
    }
    check(MemorySegment.ofArray(bytes), 0, length, seed);
  }
}
