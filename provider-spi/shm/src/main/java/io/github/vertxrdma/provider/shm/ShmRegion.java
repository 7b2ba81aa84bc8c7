package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory. If it is in an {@link AllocatedFile}, peers may map it. Their mappings can outlive this region. */
final class ShmRegion extends SoftwareRegion {
  static final int READ = 1 << Access.REMOTE_READ.ordinal();
  static final int WRITE = 1 << Access.REMOTE_WRITE.ordinal();
  static final int ATOMIC = 1 << Access.REMOTE_ATOMIC.ordinal();

  /** Permission to map the file; null if this process executes the operations of peers. */
  final AllocatedFile.MapPermit permit;

  ShmRegion(RegionTable<ShmRegion> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(table, segment, access, slot, secret);
    // A peer that maps a writable file can write to any part of it, whatever the region's rights.
    boolean written = permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    AllocatedFile home = written || permits(Access.REMOTE_READ) ? AllocatedFile.of(segment) : null;
    permit = home == null ? null : home.expose(segment, written);
  }

  @Override
  public byte[] remoteKey() {
    return ShmRemoteMemory.key(slot(), secret(), permit != null);
  }

  @Override
  protected void closed() {
    if (permit != null) {
      permit.end();
    }
  }
}
