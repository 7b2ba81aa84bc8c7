package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The memory regions of a domain by slot. Looked up without a lock by every polling thread, changed under one. */
final class RegionTable {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final int limit;
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private int used;
  private volatile AtomicReferenceArray<ShmRegion> regions = new AtomicReferenceArray<>(16);
  private volatile int removals;

  RegionTable(int limit) {
    this.limit = limit;
  }

  synchronized ShmRegion add(MemorySegment memory, Set<Access> access) {
    int slot;
    if (!free.isEmpty()) {
      slot = free.poll();
    } else if (used < limit) {
      slot = used++;
    } else {
      throw new ProviderException(ProviderException.Reason.LIMIT, "shm: " + limit + " memory regions are registered, no more are allowed: "
        + "close some, or register fewer and larger ones");
    }
    if (slot == regions.length()) {
      grow();
    }
    ShmRegion region = new ShmRegion(this, memory, access, slot, RANDOM.nextLong());
    regions.set(slot, region);
    return region;
  }

  private void grow() {
    AtomicReferenceArray<ShmRegion> old = regions;
    AtomicReferenceArray<ShmRegion> grown = new AtomicReferenceArray<>(old.length() * 2);
    for (int i = 0; i < old.length(); i++) {
      grown.setPlain(i, old.getPlain(i));
    }
    regions = grown;
  }

  synchronized void remove(ShmRegion region) {
    regions.set(region.slot, null);
    free.add(region.slot);
    removals++;
  }

  /** Counts removals, for those who cache what belongs to a region. */
  int removals() {
    return removals;
  }

  /** The region a peer names, or null if slot and secret do not fit. */
  ShmRegion find(int slot, long secret) {
    AtomicReferenceArray<ShmRegion> table = regions;
    ShmRegion region = slot >= 0 && slot < table.length() ? table.get(slot) : null;
    return region != null && region.secret == secret ? region : null;
  }

  void closeAll() {
    AtomicReferenceArray<ShmRegion> table = regions;
    for (int i = 0; i < table.length(); i++) {
      ShmRegion region = table.get(i);
      if (region != null) {
        region.close();
      }
    }
  }
}
