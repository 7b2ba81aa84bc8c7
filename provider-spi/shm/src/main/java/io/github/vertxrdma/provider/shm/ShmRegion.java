package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.software.RegionTable;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Registered memory, with the file that it lies in. A peer that has mapped its file keeps the mapping; what it does there after the close
 * is seen by nobody who allocated the file for one region alone.
 */
final class ShmRegion extends SoftwareRegion {
  /** Rights of peers. */
  static final int READ = 1 << Access.REMOTE_READ.ordinal();
  static final int WRITE = 1 << Access.REMOTE_WRITE.ordinal();
  static final int ATOMIC = 1 << Access.REMOTE_ATOMIC.ordinal();

  /** Null for memory that peers must not map, or cannot, since it lies in no file: their operations on it are carried out here. */
  private final SharedFile file;

  ShmRegion(RegionTable<ShmRegion> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(table, segment, access, slot, secret);
    boolean remote = permits(Access.REMOTE_READ) || permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    SharedFile home = remote ? SharedFile.of(segment) : null;
    // Whoever has a file that can be written could, whatever rights it was given.
    boolean written = permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    if (home != null && written != home.writable()) {
      home.release();
      home = null;
    }
    file = home;
  }

  /** The file it lies in; valid while it is held by {@link #acquire}. */
  SharedFile file() {
    return file;
  }

  /** Offset in the file. */
  long fileOffset() {
    return segment().address() - file.memory.address();
  }

  @Override
  public byte[] remoteKey() {
    return ShmRemoteMemory.key(slot(), secret(), file != null);
  }

  @Override
  protected void closed() {
    if (file != null) {
      file.release();
    }
  }
}
