package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory, with the loan of its file. A peer that has mapped the file can keep the mapping until it is reclaimed. */
final class ShmRegion extends SoftwareRegion {
  /** Rights of peers. */
  static final int READ = 1 << Access.REMOTE_READ.ordinal();
  static final int WRITE = 1 << Access.REMOTE_WRITE.ordinal();
  static final int ATOMIC = 1 << Access.REMOTE_ATOMIC.ordinal();

  /** Null for memory that peers must not map, or cannot, because it is in no file: their operations on it are executed by this process. */
  private final AllocatedFile.Loan loan;

  ShmRegion(RegionTable<ShmRegion> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(table, segment, access, slot, secret);
    // A peer with a writable file could write it, whatever rights it was given.
    boolean written = permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    AllocatedFile home = written || permits(Access.REMOTE_READ) ? AllocatedFile.of(segment) : null;
    loan = home == null ? null : home.expose(segment, written);
  }

  /** Returns the loan of its file; valid while it is held by {@link #acquire}. */
  AllocatedFile.Loan loan() {
    return loan;
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
