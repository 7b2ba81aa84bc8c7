package io.github.vertxrdma.impl.region;

import io.netty.util.collection.LongObjectHashMap;

/** Offsets of 8-byte words on which atomics were used. Plain writes to these words are refused. Thread-safe. */
final class AtomicWords {
  private static final int MAX_WORDS = 1 << 16;

  private final LongObjectHashMap<Boolean> words = new LongObjectHashMap<>();
  private volatile long first = Long.MAX_VALUE;
  private volatile long last = -1;
  private volatile long latest = -1;

  void add(long offset) {
    if (offset != latest) {
      remember(offset);
    }
  }

  private synchronized void remember(long offset) {
    if (words.size() < MAX_WORDS) {
      words.put(offset, Boolean.TRUE);
      first = Math.min(first, offset);
      last = Math.max(last, offset);
      latest = offset;
    }
  }

  long overlapping(long offset, long length) {
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
