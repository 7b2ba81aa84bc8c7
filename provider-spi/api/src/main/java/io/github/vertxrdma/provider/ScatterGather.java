package io.github.vertxrdma.provider;

import java.util.function.UnaryOperator;

/** Reusable list of local memory ranges, which one operation sends or writes in order. */
public final class ScatterGather {
  private final MemoryRegion[] regions;
  private final long[] offsets;
  private final int[] lengths;
  private int size;
  private long total;

  public ScatterGather(int capacity) {
    regions = new MemoryRegion[capacity];
    offsets = new long[capacity];
    lengths = new int[capacity];
  }

  public ScatterGather clear() {
    for (int i = 0; i < size; i++) {
      regions[i] = null;
    }
    size = 0;
    total = 0;
    return this;
  }

  public ScatterGather add(MemoryRegion region, long offset, int length) {
    regions[size] = region;
    offsets[size] = offset;
    lengths[size++] = length;
    total += length;
    return this;
  }

  public ScatterGather set(ScatterGather other, UnaryOperator<MemoryRegion> region) {
    clear();
    for (int i = 0; i < other.size; i++) {
      add(region.apply(other.regions[i]), other.offsets[i], other.lengths[i]);
    }
    return this;
  }

  public int size() {
    return size;
  }

  public long total() {
    return total;
  }

  public MemoryRegion region(int i) {
    return regions[i];
  }

  public long offset(int i) {
    return offsets[i];
  }

  public int length(int i) {
    return lengths[i];
  }
}
