package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.MemorySegment;

/** Maximum memory that this process may pin; getrlimit(2) RLIMIT_MEMLOCK. */
public final class MemlockLimit {
  private static final MemorySegment GETRLIMIT = Downcall.function("getrlimit");
  private static final int RLIMIT_MEMLOCK = 8;

  private MemlockLimit() {
  }

  /** Returns the limit in bytes; {@link Long#MAX_VALUE} without a limit. */
  public static long bytes() {
    try (Scratch limit = Scratch.of(16)) {
      int failed = (int) Calls.plain(GETRLIMIT, RLIMIT_MEMLOCK, limit.address());
      long soft = Memory.getLong(limit.address());
      return failed != 0 || soft < 0 ? Long.MAX_VALUE : soft;
    }
  }

  public static String describe() {
    long bytes = bytes();
    return bytes == Long.MAX_VALUE ? "there is no memlock limit"
      : "the memlock limit is " + (bytes >> 10) + " KiB — raise it with 'ulimit -l unlimited' or LimitMEMLOCK=infinity";
  }
}
