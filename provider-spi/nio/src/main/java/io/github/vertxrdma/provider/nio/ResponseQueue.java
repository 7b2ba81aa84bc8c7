package io.github.vertxrdma.provider.nio;

/** Requests of a peer that have not been answered: reads and atomics, in order. */
final class ResponseQueue {
  private final int mask;
  private final boolean[] reads;
  private final long[] sequences;
  private final NioMemoryRegion[] regions;
  private final long[] offsets;
  private final long[] lengths;
  private final long[] done;
  private int head;
  private int tail;

  /** @param capacity a power of two */
  ResponseQueue(int capacity) {
    mask = capacity - 1;
    reads = new boolean[capacity];
    sequences = new long[capacity];
    regions = new NioMemoryRegion[capacity];
    offsets = new long[capacity];
    lengths = new long[capacity];
    done = new long[capacity];
  }

  boolean isEmpty() {
    return head == tail;
  }

  boolean isFull() {
    return tail - head > mask;
  }

  void addRead(long sequence, NioMemoryRegion region, long offset, long length) {
    int i = tail++ & mask;
    reads[i] = true;
    sequences[i] = sequence;
    regions[i] = region;
    offsets[i] = offset;
    lengths[i] = length;
    done[i] = 0;
  }

  void addAtomic(long sequence, long oldValue) {
    int i = tail++ & mask;
    reads[i] = false;
    sequences[i] = sequence;
    lengths[i] = oldValue;
  }

  boolean read() {
    return reads[head & mask];
  }

  long sequence() {
    return sequences[head & mask];
  }

  NioMemoryRegion region() {
    return regions[head & mask];
  }

  /** The offset in the region at which the answered part starts. */
  long offset() {
    return offsets[head & mask];
  }

  /** Bytes of a read, or the old value of an atomic. */
  long value() {
    return lengths[head & mask];
  }

  long done() {
    return done[head & mask];
  }

  void advance(long bytes) {
    done[head & mask] += bytes;
  }

  void remove() {
    regions[head++ & mask] = null;
  }
}
