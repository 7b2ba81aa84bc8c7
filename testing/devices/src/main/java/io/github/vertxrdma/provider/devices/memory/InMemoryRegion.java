package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;

final class InMemoryRegion extends SoftwareRegion {
  private final InMemoryFabric fabric;

  InMemoryRegion(InMemoryFabric fabric, RegionTable<InMemoryRegion> table, MemorySegment segment, Set<Access> access, int slot) {
    super(table, shared(segment), access, slot, fabric.nextSecret());
    this.fabric = fabric;
    fabric.add(this);
  }

  /** Returns a segment for all threads, because peers access the memory on their threads, like a device. */
  private static MemorySegment shared(MemorySegment segment) {
    return segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
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
