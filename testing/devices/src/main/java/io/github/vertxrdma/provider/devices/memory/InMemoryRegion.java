package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory. Peers copy into and out of it on their own threads. */
final class InMemoryRegion extends SoftwareRegion {
  private final InMemoryFabric fabric;
  private final MemorySegment memory;

  InMemoryRegion(InMemoryFabric fabric, RegionTable<InMemoryRegion> table, MemorySegment segment, Set<Access> access, int slot) {
    super(table, segment, access, slot, fabric.nextSecret());
    this.fabric = fabric;
    // A device uses addresses, not arenas. So all threads use memory of a confined arena here, as they do with a network adapter.
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    fabric.add(this);
  }

  /** Returns the range, to be given back with {@link #release}, or null if the region is closed or the range is outside of it. */
  MemorySegment acquire(long offset, long length) {
    return covers(offset, length) && acquire() ? memory.asSlice(offset, length) : null;
  }

  /** Copies bytes from a range, without an object for the range. @return false if the region is closed or the range is outside of it */
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

  /** Returns the view of a range for peers that map it. Null if the region has no such range. */
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
