package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;

/**
 * Registered memory. Threads that touch it on behalf of peers hold it meanwhile, so that {@link #close} returns only when no copy
 * is under way and the memory can be used for something else.
 */
final class NioMemoryRegion implements MemoryRegion {
  private static final VarHandle USERS;
  private static final int CLOSED = 1 << 31;

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(NioMemoryRegion.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final RegionTable table;
  final MemorySegment segment;
  final int slot;
  final long secret;
  private final long size;
  private final Set<Access> access;
  private final int rights;
  private volatile int users;

  NioMemoryRegion(RegionTable table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    this.table = table;
    this.segment = segment;
    this.size = segment.byteSize();
    this.access = Set.copyOf(access);
    this.slot = slot;
    this.secret = secret;
    int bits = 0;
    for (Access right : access) {
      bits |= 1 << right.ordinal();
    }
    rights = bits;
  }

  boolean permits(Access right) {
    return (rights & 1 << right.ordinal()) != 0;
  }

  /** May be the target of receives, reads and results. */
  boolean sink() {
    return permits(Access.LOCAL_WRITE) || permits(Access.READ_SINK);
  }

  boolean covers(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size - length;
  }

  boolean closed() {
    return users < 0;
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
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public Set<Access> access() {
    return access;
  }

  @Override
  public long remoteAddress() {
    return 0;
  }

  @Override
  public byte[] remoteKey() {
    return NioRemoteMemory.key(slot, secret);
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
  }
}
