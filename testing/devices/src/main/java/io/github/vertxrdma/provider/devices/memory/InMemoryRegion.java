package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory that peers access on their own threads. */
final class InMemoryRegion extends SoftwareRegion {
  private final InMemoryFabric fabric;
  private final MemorySegment memory;

  InMemoryRegion(InMemoryFabric fabric, RegionTable<InMemoryRegion> table, MemorySegment segment, Set<Access> access, int slot) {
    super(table, segment, access, slot, fabric.nextSecret());
    this.fabric = fabric;
    // A device uses addresses, so all threads use memory of a confined arena here.
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    fabric.add(this);
  }

  /** The caller gives the range back with {@link #release}. Null if the region is closed or the range is outside of it. */
  MemorySegment acquire(long offset, long length) {
    return covers(offset, length) && acquire() ? memory.asSlice(offset, length) : null;
  }

  /**
   * Copies bytes without an object for the range.
   *
   * @return false if the region is closed or the range is outside of it
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

  /** Copies into a range, as {@link #read} does. */
  boolean write(long offset, byte[] from) {
    boolean held = covers(offset, from.length) && acquire();
    if (held) {
      try {
        copy(MemorySegment.ofArray(from), 0, memory, offset, from.length);
      } finally {
        release();
      }
    }
    return held;
  }

  /** Returns a range that peers map; null if the range is outside of the region. */
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
