package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory. */
final class NioMemoryRegion extends SoftwareRegion {

  NioMemoryRegion(RegionTable<NioMemoryRegion> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(table, segment, access, slot, secret);
  }

  @Override
  public byte[] remoteKey() {
    return NioRemoteMemory.key(slot(), secret());
  }
}
