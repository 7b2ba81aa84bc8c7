package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.lang.foreign.MemorySegment;

final class InMemoryRemote extends SoftwareRemoteMemory {
  private final InMemoryFabric fabric;
  private final boolean maps;
  /** The region's secret, boxed once since each post looks it up. */
  private final Long key;

  /** @param maps whether peers' memory can be read in place */
  InMemoryRemote(InMemoryFabric fabric, boolean maps, long base, long length, byte[] key) {
    super(fabric.name(), base, length, key, Long.BYTES);
    this.fabric = fabric;
    this.maps = maps;
    this.key = secret();
  }

  InMemoryRegion region() {
    return fabric.regions.get(key);
  }

  @Override
  public MemorySegment mapped() {
    InMemoryRegion region = maps ? region() : null;
    return region == null || !region.permits(Access.REMOTE_READ) || !region.covers(base(), length()) ? null
      : region.segment().asSlice(base(), length()).asReadOnly();
  }
}
