package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;

/** Memory of a peer. A post with an invalid key or address breaks the connection. */
final class StrictRemote extends AbstractRemoteMemory {
  /** The wrapped domain's memory; null for a forged key. */
  final RemoteMemory raw;
  private final StrictRegion region;
  private final long base;

  StrictRemote(RemoteMemory raw, StrictRegion region, long base, long length) {
    super(length);
    this.raw = raw;
    this.region = region;
    this.base = base;
  }

  boolean allowed(Access right, long offset, long bytes) {
    return raw != null && region.allows(right, base + offset, bytes);
  }

  boolean aligned(long offset) {
    return (region == null ? offset : region.remoteAddress() + base + offset & 7) % 8 == 0;
  }

  @Override
  public MemorySegment mapped() {
    return raw == null ? null : raw.mapped();
  }

  @Override
  protected void unmap() {
    if (raw != null) {
      raw.close();
    }
  }
}
