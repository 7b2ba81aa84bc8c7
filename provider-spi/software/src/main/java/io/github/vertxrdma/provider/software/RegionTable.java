package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Memory regions of a domain by slot, a part of the remote key. Polling threads read without a lock. */
public final class RegionTable<R extends SoftwareRegion> {
  private static final SecureRandom RANDOM = new SecureRandom();

  public interface Maker<R extends SoftwareRegion> {
    R make(RegionTable<R> table, MemorySegment memory, Set<Access> access, int slot, long secret);
  }

  private final String fabric;
  private final int limit;
  private final Maker<R> maker;
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private int used;
  private volatile AtomicReferenceArray<R> regions = new AtomicReferenceArray<>(16);

  public RegionTable(String fabric, int limit, Maker<R> maker) {
    this.fabric = fabric;
    this.limit = limit;
    this.maker = maker;
  }

  public R register(MemorySegment memory, Set<Access> access) {
    if (!memory.isNative()) {
      throw new ProviderException(Reason.INVALID, fabric + ": a heap segment of " + memory.byteSize()
        + " bytes cannot be registered, since the garbage collector moves it. Allocate it off-heap, from an Arena");
    }
    boolean written = access.contains(Access.LOCAL_WRITE) || access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC)
      || access.contains(Access.READ_SINK);
    if (written && memory.isReadOnly()) {
      throw new ProviderException(Reason.INVALID, fabric + ": a read-only segment of " + memory.byteSize()
        + " bytes cannot be registered for " + access + ". Request remote read only, or copy it");
    }
    return add(memory, access);
  }

  private synchronized R add(MemorySegment memory, Set<Access> access) {
    int slot;
    if (!free.isEmpty()) {
      slot = free.poll();
    } else if (used < limit) {
      slot = used++;
    } else {
      throw new ProviderException(Reason.LIMIT, fabric + ": " + limit + " memory regions are registered, the maximum. Close some, "
        + "or register fewer and larger ones");
    }
    if (slot == regions.length()) {
      grow();
    }
    R region = maker.make(this, memory, access, slot, RANDOM.nextLong());
    regions.set(slot, region);
    return region;
  }

  private void grow() {
    AtomicReferenceArray<R> old = regions;
    AtomicReferenceArray<R> grown = new AtomicReferenceArray<>(old.length() * 2);
    for (int i = 0; i < old.length(); i++) {
      grown.setPlain(i, old.getPlain(i));
    }
    regions = grown;
  }

  synchronized void remove(SoftwareRegion region) {
    regions.set(region.slot(), null);
    free.add(region.slot());
  }

  /** Returns the region, or null if slot or secret is wrong. */
  public R find(int slot, long secret) {
    AtomicReferenceArray<R> table = regions;
    R region = slot >= 0 && slot < table.length() ? table.get(slot) : null;
    return region != null && region.secret() == secret ? region : null;
  }

  public void closeAll() {
    AtomicReferenceArray<R> table = regions;
    for (int i = 0; i < table.length(); i++) {
      R region = table.get(i);
      if (region != null) {
        region.close();
      }
    }
  }
}
