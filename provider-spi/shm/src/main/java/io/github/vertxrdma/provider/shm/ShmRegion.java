package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory. Peers may map it from its file, and keep that mapping until the memory is reclaimed. */
final class ShmRegion extends SoftwareRegion {
  static final int READ = 1 << Access.REMOTE_READ.ordinal();
  static final int WRITE = 1 << Access.REMOTE_WRITE.ordinal();
  static final int ATOMIC = 1 << Access.REMOTE_ATOMIC.ordinal();

  /** Permission to map the file; null if this process executes peers' operations. */
  final AllocatedFile.Loan loan;

  ShmRegion(RegionTable<ShmRegion> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(table, segment, access, slot, secret);
    // A peer can write to any part of a writable file, whatever the region's rights.
    boolean written = permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    AllocatedFile home = written || permits(Access.REMOTE_READ) ? AllocatedFile.of(segment) : null;
    loan = home == null ? null : home.expose(segment, written);
  }

  @Override
  public byte[] remoteKey() {
    return ShmRemoteMemory.key(slot(), secret(), loan != null);
  }

  @Override
  protected void closed() {
    if (loan != null) {
      loan.end();
    }
  }
}
