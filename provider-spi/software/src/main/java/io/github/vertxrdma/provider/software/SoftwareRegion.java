package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Registered memory. Threads that touch it on behalf of peers hold it meanwhile, so that {@link #close} returns only when no copy of this
 * process is under way and the memory can be used for something else.
 */
public class SoftwareRegion extends AbstractMemoryRegion {
  private static final VarHandle USERS;
  private static final int CLOSED = 1 << 31;

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(SoftwareRegion.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RegionTable<?> table;
  private final int slot;
  private final long secret;
  private final int rights;
  private volatile int users;

  /**
   * @param table where it is found
   * @param slot its place there
   * @param secret with the slot, what a peer has to know
   */
  public SoftwareRegion(RegionTable<?> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(segment, access);
    this.table = table;
    this.slot = slot;
    this.secret = secret;
    rights = rights(access);
  }

  /** A bit for each right, by its ordinal. */
  public static int rights(Set<Access> access) {
    int bits = 0;
    for (Access right : access) {
      bits |= 1 << right.ordinal();
    }
    return bits;
  }

  public final int rights() {
    return rights;
  }

  public final int slot() {
    return slot;
  }

  public final long secret() {
    return secret;
  }

  public final boolean permits(Access right) {
    return (rights & 1 << right.ordinal()) != 0;
  }

  /** May be the target of receives, reads and results. */
  public final boolean sink() {
    return permits(Access.LOCAL_WRITE) || permits(Access.READ_SINK);
  }

  /** Whether an operation of that table's domain may use the range. @param into whether it writes there */
  public final boolean usable(RegionTable<?> domain, long offset, long length, boolean into) {
    return table == domain && covers(offset, length) && (!into || sink());
  }

  /** Why a peer may not do that with the region that it names; null if it may. @param named null if its key names none */
  public static String refusal(SoftwareRegion named, Access access, long offset, long bytes) {
    if (named == null) {
      return "its key names no memory region";
    }
    return !named.permits(access) ? "the region does not allow " + access : named.covers(offset, bytes) ? null
      : "[" + offset + ", " + offset + " + " + bytes + ") is outside the region of " + named.size() + " bytes";
  }

  @Override
  public final boolean isOpen() {
    return users >= 0;
  }

  /** Takes hold of it for a moment. @return false if it is closed */
  public final boolean acquire() {
    if ((int) USERS.getAndAdd(this, 1) < 0) {
      USERS.getAndAdd(this, -1);
      return false;
    }
    return true;
  }

  public final void release() {
    USERS.getAndAdd(this, -1);
  }

  /** Offsets count from the start of the region. */
  @Override
  public final long remoteAddress() {
    return 0;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(SoftwareRemoteMemory.KEY_SIZE).putInt(slot).putLong(secret).array();
  }

  /** Lets go of what it has besides the memory; nobody holds it any more. */
  protected void closed() {
  }

  @Override
  public final void close() {
    int before = (int) USERS.getAndBitwiseOr(this, CLOSED);
    if (before >= 0) {
      table.remove(this);
    }
    while (users != CLOSED) {
      Thread.onSpinWait();
    }
    if (before >= 0) {
      closed();
    }
  }
}
