package io.github.vertxrdma.impl.region;

import io.netty.util.collection.LongObjectHashMap;

/**
 * Words of a region used with atomics through one handle, so that plain writes to them can be refused: they would not be atomic. Bounded;
 * thread-safe.
 */
final class AtomicWords {
  private static final int MOST = 1 << 16;

  private final LongObjectHashMap<Boolean> words = new LongObjectHashMap<>();
  private volatile long first = Long.MAX_VALUE;
  private volatile long last = -1;
  private volatile long latest = -1;

  void add(long offset) {
    // Most callers use one word repeatedly.
    if (offset != latest) {
      remember(offset);
    }
  }

  private synchronized void remember(long offset) {
    if (words.size() < MOST) {
      words.put(offset, Boolean.TRUE);
      first = Math.min(first, offset);
      last = Math.max(last, offset);
      latest = offset;
    }
  }

  /** @return a word that the bytes touch, or -1 */
  long touched(long offset, long length) {
    return offset > last + 7 || offset + length <= first ? -1 : find(offset, length);
  }

  private synchronized long find(long offset, long length) {
    long begin = Math.max(offset & ~7L, first);
    long end = Math.min(offset + length, last + 8);
    if ((end - begin) / 8 > words.size()) {
      for (long word : words.keySet()) {
        if (word >= begin && word < end) {
          return word;
        }
      }
      return -1;
    }
    for (long word = begin; word < end; word += 8) {
      if (words.containsKey(word)) {
        return word;
      }
    }
    return -1;
  }
}
