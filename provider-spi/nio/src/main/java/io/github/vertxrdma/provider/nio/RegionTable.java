package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Set;

/** The memory regions of a domain by slot. Looked up without a lock by every polling thread, changed under one. */
final class RegionTable {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final int limit;
  private volatile NioMemoryRegion[] regions = new NioMemoryRegion[16];
  private volatile int removals;

  RegionTable(int limit) {
    this.limit = limit;
  }

  synchronized NioMemoryRegion add(MemorySegment memory, Set<Access> access) {
    NioMemoryRegion[] table = regions;
    int slot = 0;
    while (slot < table.length && table[slot] != null) {
      slot++;
    }
    if (slot == limit) {
      throw new ProviderException(ProviderException.Reason.LIMIT, "nio: " + limit + " memory regions are registered, no more are allowed: "
        + "close some, or register fewer and larger ones");
    }
    // A new array each time: readers see whole entries without a fence of their own.
    table = Arrays.copyOf(table, slot == table.length ? table.length * 2 : table.length);
    NioMemoryRegion region = new NioMemoryRegion(this, memory, access, slot, RANDOM.nextLong());
    table[slot] = region;
    regions = table;
    return region;
  }

  synchronized void remove(NioMemoryRegion region) {
    NioMemoryRegion[] table = regions.clone();
    table[region.slot] = null;
    regions = table;
    removals++;
  }

  /** Counts removals, for those who cache what belongs to a region. */
  int removals() {
    return removals;
  }

  /** The region a peer names, or null if slot and secret do not fit. */
  NioMemoryRegion find(int slot, long secret) {
    NioMemoryRegion[] table = regions;
    NioMemoryRegion region = slot >= 0 && slot < table.length ? table[slot] : null;
    return region != null && region.secret == secret ? region : null;
  }

  void closeAll() {
    for (NioMemoryRegion region : regions) {
      if (region != null) {
        region.close();
      }
    }
  }
}
