package io.github.vertxrdma.impl.memory;

import io.github.vertxrdma.impl.events.FlightEvents;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Slots of one size in few large registered slabs. Slabs are made with {@link #allocate}, which may block and so runs off the event
 * loop, and join the pool with {@link #add} on its thread; everything else is confined to that thread.
 *
 * @param <S> what the slots are used for
 */
public final class SlotPool<S extends Slot> {

  /** Makes a slot. */
  @FunctionalInterface
  public interface Factory<S> {
    S create(MemoryRegion region, long offset, int size, int slab);
  }

  /** A registered piece of memory that has not joined a pool yet. */
  public record Slab(Arena arena, MemoryRegion region) {
    /** Deregisters it, then frees the memory. */
    public void close() {
      region.close();
      arena.close();
    }
  }

  private final Requests requests;
  private final int slotSize;
  private final int maxSlots;
  private final Factory<S> factory;
  private final List<Slab> slabs = new ArrayList<>();
  private Slot[] free = new Slot[16];
  private int freeCount;
  private int reserved;
  private int quarantined;
  private int total;
  private boolean closed;

  /**
   * @param requests table that gives slots their ids; null for slots that are never requests
   * @param slotSize bytes of a slot
   * @param maxSlots the most slots it may grow to, besides those in quarantine
   */
  public SlotPool(Requests requests, int slotSize, int maxSlots, Factory<S> factory) {
    this.requests = requests;
    this.slotSize = slotSize;
    this.maxSlots = maxSlots;
    this.factory = factory;
  }

  /** Registers a slab of so many slots. Blocks; any thread. */
  public static Slab allocate(Domain domain, Set<Access> access, int slotSize, int slots) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = domain.allocate((long) slotSize * slots, access, arena);
      return new Slab(arena, FlightEvents.register(domain, memory, access));
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** Adds a slab's slots. If it was closed meanwhile the slab is freed. */
  public void add(Slab slab) {
    if (closed) {
      slab.close();
      return;
    }
    slabs.add(slab);
    add(slab.region, (int) (slab.region.size() / slotSize));
  }

  /** Adds slots that have no memory. */
  public void addWithoutMemory(int slots) {
    add(null, slots);
  }

  private void add(MemoryRegion region, int slots) {
    if (free.length < total + slots) {
      free = Arrays.copyOf(free, total + slots);
    }
    for (int i = 0; i < slots; i++) {
      S slot = factory.create(region, region == null ? 0 : (long) i * slotSize, slotSize, slabs.size() - 1);
      if (requests != null) {
        requests.add(slot);
      }
      free[freeCount++] = slot;
    }
    total += slots;
  }

  /** A free slot, or null. */
  @SuppressWarnings("unchecked")
  public S take() {
    if (freeCount == 0) {
      return null;
    }
    Slot slot = free[--freeCount];
    free[freeCount] = null;
    return (S) slot;
  }

  /** Gives a slot back; late completions of its use are dropped. */
  public void release(S slot) {
    slot.used();
    free[freeCount++] = slot;
    if (slot.quarantined) {
      endQuarantine(slot);
    }
  }

  /** A slot in use may not come back for long: until it is released, another one may be made in its place. */
  public void quarantine(S slot) {
    if (!slot.quarantined) {
      slot.quarantined = true;
      quarantined++;
    }
  }

  /** Apart from {@link #release}, which every message goes through and which is to stay small. */
  private void endQuarantine(S slot) {
    slot.quarantined = false;
    quarantined--;
  }

  /** Sets slots aside for somebody who will take them. @return false if there are not as many */
  public boolean reserve(int slots) {
    if (freeCount - reserved < slots) {
      return false;
    }
    reserved += slots;
    return true;
  }

  /** They were taken, or are not wanted any more. */
  public void unreserve(int slots) {
    reserved -= slots;
  }

  /** Slots that are free and not reserved. */
  public int available() {
    return freeCount - reserved;
  }

  /** Whether it may have so many more. Those in quarantine do not count. */
  public boolean canGrow(int slots) {
    return total - quarantined + slots <= maxSlots;
  }

  /** Slots that are free, or may be made. */
  public int left() {
    return maxSlots + quarantined - inUse();
  }

  /** Bytes of its memory. */
  public long bytes() {
    return slabs.isEmpty() ? 0 : (long) total * slotSize;
  }

  public int slotSize() {
    return slotSize;
  }

  public int total() {
    return total;
  }

  /** Slots in use. */
  public int inUse() {
    return total - freeCount;
  }

  /** Deregisters and frees everything, in use or not: no operation may touch it any more. */
  public void close() {
    closed = true;
    slabs.forEach(Slab::close);
    slabs.clear();
    freeCount = 0;
    total = 0;
    Arrays.fill(free, null);
  }
}
