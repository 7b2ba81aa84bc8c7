package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

final class InMemoryRegion extends SoftwareRegion {
  private final InMemoryFabric fabric;
  private final MemorySegment memory;

  InMemoryRegion(InMemoryFabric fabric, RegionTable<InMemoryRegion> table, MemorySegment segment, Set<Access> access, int slot) {
    super(table, segment, access, slot, fabric.nextSecret());
    this.fabric = fabric;
    // Peers access the memory on their threads, like a device, even if its arena is confined to a thread.
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    fabric.add(this);
  }

  /** Returns a range, which the caller must {@link #release}; null if the region is closed or does not contain the range. */
  MemorySegment acquire(long offset, long length) {
    return covers(offset, length) && acquire() ? memory.asSlice(offset, length) : null;
  }

  /**
   * Copies bytes without an object for the range.
   *
   * @return false if the region is closed or does not contain the range
   */
  boolean read(long offset, MemorySegment to, long at, long length) {
    boolean held = covers(offset, length) && acquire();
    if (held) {
      try {
        copy(memory, offset, to, at, length);
      } finally {
        release();
      }
    }
    return held;
  }

  /** Copies bytes into the region. @return see {@link #read} */
  boolean write(long offset, byte[] from) {
    return covers(offset, from.length) && put(MemorySegment.ofArray(from), 0, offset, from.length);
  }

  /** Returns a range that peers map; null if the region does not contain it. */
  MemorySegment view(long offset, long length) {
    return covers(offset, length) ? memory.asSlice(offset, length).asReadOnly() : null;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(Long.BYTES).putLong(secret()).array();
  }

  @Override
  protected void closed() {
    fabric.remove(this);
  }
}
