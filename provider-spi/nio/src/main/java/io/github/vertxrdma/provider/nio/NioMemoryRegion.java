package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;

/**
 * Registered memory. Threads that touch it on behalf of peers hold it meanwhile, so that {@link #close} returns only when no copy
 * is under way and the memory can be used for something else.
 */
final class NioMemoryRegion extends AbstractMemoryRegion {
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
  final int slot;
  final long secret;
  private final int rights;
  private volatile int users;

  NioMemoryRegion(RegionTable table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(segment, access);
    this.table = table;
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
