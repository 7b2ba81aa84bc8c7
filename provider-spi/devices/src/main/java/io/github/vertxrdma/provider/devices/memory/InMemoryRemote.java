package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.MemorySegment;

/** A peer's memory as its key names it. */
final class InMemoryRemote extends AbstractRemoteMemory {
  /** Null where memory of peers is not mapped. */
  private final InMemoryFabric maps;
  final long address;
  /** Boxed once, since posts look it up. */
  final Long key;

  InMemoryRemote(InMemoryFabric maps, long address, long length, long key) {
    super(length);
    this.maps = maps;
    this.address = address;
    this.key = key;
  }

  @Override
  public MemorySegment mapped() {
    InMemoryRegion region = maps == null ? null : maps.region(key);
    return region == null || !region.access().contains(Access.REMOTE_READ) ? null : region.view(address, length());
  }
}
