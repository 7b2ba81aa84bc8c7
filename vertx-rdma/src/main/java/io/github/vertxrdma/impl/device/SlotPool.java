package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.process.FlightEvents;
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
 * Pool of slots of one size. A slab is a block of memory with one registration, divided into slots. Confined to one thread, except
 * {@link #allocate}.
 */
public final class SlotPool<S extends Slot> {

  @FunctionalInterface
  public interface Factory<S> {
    S create(MemoryRegion region, long offset, int size, int slab);
  }

  public record Slab(Arena arena, MemoryRegion region) {
    public void close() {
      region.close();
      arena.close();
    }
  }

  private final RequestTable requests;
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
   * @param requests assigns ids; null for slots that are never requests
   * @param slotSize in bytes
   * @param maxSlots maximum number of slots without those marked by {@link #quarantine}
   */
  public SlotPool(RequestTable requests, int slotSize, int maxSlots, Factory<S> factory) {
    this.requests = requests;
    this.slotSize = slotSize;
    this.maxSlots = maxSlots;
    this.factory = factory;
  }

  /** Registers a slab. Blocks; thread-safe. */
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

  public void add(Slab slab) {
    if (closed) {
      slab.close();
      return;
    }
    slabs.add(slab);
    add(slab.region, (int) (slab.region.size() / slotSize));
  }

  /** @param region null if the slots have no memory */
  void add(MemoryRegion region, int slots) {
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

  @SuppressWarnings("unchecked")
  public S take() {
    if (freeCount == 0) {
      return null;
    }
    return (S) free[--freeCount];
  }

  public void release(S slot) {
    slot.used();
    if (free[freeCount] != slot) {
      free[freeCount] = slot;
    }
    freeCount++;
    if (slot.quarantined) {
      endQuarantine(slot);
    }
  }

  /** Marks a slot that the fabric may use long after its link closed. Until its release, the pool may create a replacement. */
  public void quarantine(S slot) {
    if (!slot.quarantined) {
      slot.quarantined = true;
      quarantined++;
    }
  }

  /** Separate, to keep the frequent {@link #release} small. */
  private void endQuarantine(S slot) {
    slot.quarantined = false;
    quarantined--;
  }

  /** Returns false if too few slots are free. */
  public boolean reserve(int slots) {
    if (freeCount - reserved < slots) {
      return false;
    }
    reserved += slots;
    return true;
  }

  public void unreserve(int slots) {
    reserved -= slots;
  }

  public int available() {
    return freeCount - reserved;
  }

  public boolean canGrow(int slots) {
    return total - quarantined + slots <= maxSlots;
  }

  /** Returns the number of free slots and slots that may be created. */
  public int left() {
    return maxSlots + quarantined - inUse();
  }

  public long bytes() {
    return slabs.isEmpty() ? 0 : (long) total * slotSize;
  }

  public int slotSize() {
    return slotSize;
  }

  public int total() {
    return total;
  }

  public int inUse() {
    return total - freeCount;
  }

  /** Frees all memory, which no operation may use any more. */
  public void close() {
    closed = true;
    slabs.forEach(Slab::close);
    slabs.clear();
    freeCount = 0;
    total = 0;
    Arrays.fill(free, null);
  }
}
