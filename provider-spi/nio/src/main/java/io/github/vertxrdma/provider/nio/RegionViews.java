package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Byte buffers over regions for calls of channels. Confined to the thread of a completion queue. */
final class RegionViews {
  private static final int WINDOW_BITS = 30;
  private static final long WINDOW = 1L << WINDOW_BITS;

  private final RegionTable<?> table;
  private SoftwareRegion[] regions = new SoftwareRegion[16];
  private ByteBuffer[][] windows = new ByteBuffer[16][];
  private int removals;

  RegionViews(RegionTable<?> table) {
    this.table = table;
  }

  /** Drops closed regions. */
  void trim() {
    int now = table.removals();
    if (now != removals) {
      removals = now;
      for (int i = 0; i < regions.length; i++) {
        if (regions[i] != null && !regions[i].isOpen()) {
          regions[i] = null;
          windows[i] = null;
        }
      }
    }
  }

  /** Returns a buffer over the range, or over its first part if one buffer cannot hold it. Valid until the next call for the region. */
  ByteBuffer of(SoftwareRegion region, long offset, long length) {
    int slot = region.slot();
    if (slot >= regions.length || regions[slot] != region) {
      make(region);
    }
    int window = (int) (offset >> WINDOW_BITS);
    ByteBuffer buffer = windows[slot][window];
    int start = (int) (offset & WINDOW - 1);
    int end = (int) Math.min(buffer.capacity(), start + length);
    return buffer.limit(end).position(start);
  }

  private void make(SoftwareRegion region) {
    int slot = region.slot();
    if (slot >= regions.length) {
      int grown = Math.max(slot + 1, regions.length * 2);
      regions = Arrays.copyOf(regions, grown);
      windows = Arrays.copyOf(windows, grown);
    }
    int count = (int) ((region.size() + WINDOW - 1) >> WINDOW_BITS);
    ByteBuffer[] made = new ByteBuffer[Math.max(1, count)];
    for (int i = 0; i < made.length; i++) {
      long start = (long) i << WINDOW_BITS;
      made[i] = region.segment().asSlice(start, Math.min(WINDOW, region.size() - start)).asByteBuffer();
    }
    regions[slot] = region;
    windows[slot] = made;
  }
}
