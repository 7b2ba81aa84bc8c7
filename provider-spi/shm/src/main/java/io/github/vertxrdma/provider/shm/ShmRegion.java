package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;

/**
 * Registered memory. Threads that touch it on behalf of peers hold it meanwhile, so that {@link #close} returns only when no copy of this
 * process is under way. A peer that has mapped its file keeps the mapping; what it does there after the close is seen by nobody who
 * allocated the file for one region alone.
 */
final class ShmRegion extends AbstractMemoryRegion {
  private static final VarHandle USERS;
  private static final int CLOSED = 1 << 31;
  /** Rights of peers. */
  static final int READ = 1 << Access.REMOTE_READ.ordinal();
  static final int WRITE = 1 << Access.REMOTE_WRITE.ordinal();
  static final int ATOMIC = 1 << Access.REMOTE_ATOMIC.ordinal();

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(ShmRegion.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final RegionTable table;
  final int slot;
  final long secret;
  /** Null for memory that lies in no file: operations of peers on it are carried out here. */
  private final SharedFile file;
  private final int rights;
  private volatile int users;

  ShmRegion(RegionTable table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(segment, access);
    this.table = table;
    this.slot = slot;
    this.secret = secret;
    rights = rights(access);
    boolean remote = permits(Access.REMOTE_READ) || permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC);
    SharedFile home = remote ? SharedFile.of(segment) : null;
    if (home != null && !home.writable() && (permits(Access.REMOTE_WRITE) || permits(Access.REMOTE_ATOMIC))) {
      home.release();
      home = null;
    }
    file = home;
  }

  static int rights(Set<Access> access) {
    int bits = 0;
    for (Access right : access) {
      bits |= 1 << right.ordinal();
    }
    return bits;
  }

  int rights() {
    return rights;
  }

  /** The file it lies in; valid while it is held by {@link #acquire}. */
  SharedFile file() {
    return file;
  }

  /** Offset in the file. */
  long fileOffset() {
    return segment().address() - file.memory.address();
  }

  boolean permits(Access right) {
    return (rights & 1 << right.ordinal()) != 0;
  }

  /** May be the target of receives, reads and results. */
  boolean sink() {
    return permits(Access.LOCAL_WRITE) || permits(Access.READ_SINK);
  }

  @Override
  protected boolean isOpen() {
    return users >= 0;
  }

  /** Takes hold of it for a moment. @return false if it is closed */
  boolean acquire() {
    if ((int) USERS.getAndAdd(this, 1) < 0) {
      USERS.getAndAdd(this, -1);
      return false;
    }
    return true;
  }

  void release() {
    USERS.getAndAdd(this, -1);
  }

  @Override
  public long remoteAddress() {
    return 0;
  }

  @Override
  public byte[] remoteKey() {
    return ShmRemoteMemory.key(slot, secret, file != null);
  }

  @Override
  public void close() {
    int before = (int) USERS.getAndBitwiseOr(this, CLOSED);
    if (before >= 0) {
      table.remove(this);
    }
    while (users != CLOSED) {
      Thread.onSpinWait();
    }
    if (before >= 0 && file != null) {
      file.release();
    }
  }
}
