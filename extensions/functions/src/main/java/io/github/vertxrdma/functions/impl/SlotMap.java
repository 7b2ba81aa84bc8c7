package io.github.vertxrdma.functions.impl;

/** Used slots of a region. A call gets consecutive slots. Not thread-safe. */
final class SlotMap {
  final int slots;
  private final long all;
  private long used;

  SlotMap(int slots) {
    this.slots = slots;
    this.all = -1L >>> Long.SIZE - slots;
  }

  int available() {
    return slots - Long.bitCount(used);
  }

  private int find(int count) {
    if (count > slots) {
      return -1;
    }
    long free = ~used & all;
    long runs = free;
    for (int i = 1; i < count && runs != 0; i++) {
      runs &= free >>> i;
    }
    return runs == 0 ? -1 : Long.numberOfTrailingZeros(runs);
  }

  boolean has(int count) {
    return find(count) >= 0;
  }

  int take(int count) {
    int first = find(count);
    if (first >= 0) {
      used |= bits(first, count);
    }
    return first;
  }

  void free(int first, int count) {
    used &= ~bits(first, count);
  }

  private static long bits(int first, int count) {
    return -1L >>> Long.SIZE - count << first;
  }
}
