package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.FileMemory;
import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Registered memory. {@link #close} waits until no thread copies to or from it.
 *
 * <p>Memory may be mapped from a file, which may be truncated. Methods of this class then throw {@link MemoryFaultException}; other code
 * must not access the memory.
 */
public class SoftwareRegion extends AbstractMemoryRegion {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final AtomicIntegerFieldUpdater<SoftwareRegion> USERS = AtomicIntegerFieldUpdater.newUpdater(SoftwareRegion.class,
    "users");
  private static final int CLOSED = 1 << 31;

  private final RegionTable<?> table;
  private final int slot;
  private final long secret;
  private final int rights;
  private final boolean fromFile;
  private volatile int users;

  public SoftwareRegion(RegionTable<?> table, MemorySegment segment, Set<Access> access, int slot, long secret) {
    super(segment, access);
    this.table = table;
    this.slot = slot;
    this.secret = secret;
    rights = rights(access);
    fromFile = segment.isMapped();
  }

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

  public final boolean sink() {
    return permits(Access.LOCAL_WRITE) || permits(Access.READ_SINK);
  }

  /** @param into whether the operation writes to the region */
  public final boolean usable(RegionTable<?> domain, long offset, long length, boolean into) {
    return table == domain && covers(offset, length) && (!into || sink());
  }

  /**
   * Returns why a peer may not use the region, or null.
   *
   * @param named the region with the peer's key; null if there is none
   */
  public static String refusal(SoftwareRegion named, Access access, long offset, long bytes) {
    if (named == null) {
      return "its key does not belong to a memory region";
    }
    if (!named.permits(access)) {
      return "the region does not allow " + access;
    }
    if (!named.covers(offset, bytes)) {
      return "[" + offset + ", " + offset + " + " + bytes + ") is outside the region of " + named.size() + " bytes";
    }
    return access == Access.REMOTE_ATOMIC && (named.segment().address() + offset & Long.BYTES - 1) != 0
      ? "its word is not aligned to 8 bytes" : null;
  }

  @Override
  public final boolean isOpen() {
    return users >= 0;
  }

  /** Keeps the region open until {@link #release}. @return false if it is closed */
  public final boolean acquire() {
    if (USERS.getAndIncrement(this) < 0) {
      USERS.getAndDecrement(this);
      return false;
    }
    return true;
  }

  public final void release() {
    USERS.getAndDecrement(this);
  }

  /** @throws MemoryFaultException if the memory's file was truncated */
  public final void get(long at, MemorySegment to, long begin, long length) {
    copy(segment(), at, to, begin, length);
  }

  public final void set(MemorySegment from, long begin, long at, long length) {
    copy(from, begin, segment(), at, length);
  }

  public final void set(long value, long at) {
    if (fromFile) {
      FileMemory.putLong(segment(), at, value);
    } else {
      segment().set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
    }
  }

  protected final void copy(MemorySegment from, long begin, MemorySegment to, long at, long length) {
    if (fromFile) {
      FileMemory.copy(from, begin, to, at, length);
    } else {
      MemorySegment.copy(from, begin, to, at, length);
    }
  }

  /** Copies to the region, and keeps it open meanwhile. @return false if it is closed */
  public final boolean put(MemorySegment from, long begin, long at, long length) {
    if (!acquire()) {
      return false;
    }
    try {
      set(from, begin, at, length);
      return true;
    } finally {
      release();
    }
  }

  /** @return false if the region is closed */
  public final boolean take(long at, MemorySegment to, long begin, long length) {
    if (!acquire()) {
      return false;
    }
    try {
      get(at, to, begin, length);
      return true;
    } finally {
      release();
    }
  }

  public final boolean put(long value, long at) {
    if (!acquire()) {
      return false;
    }
    try {
      set(value, at);
      return true;
    } finally {
      release();
    }
  }

  /** Executes an atomic on an aligned word, after {@link #acquire}. */
  public final long atomic(boolean add, long at, long operand, long swap) {
    if (fromFile) {
      return add ? FileMemory.getAndAdd(segment(), at, operand) : FileMemory.compareAndExchange(segment(), at, operand, swap);
    }
    return add ? (long) WORD.getAndAdd(segment(), at, operand) : (long) WORD.compareAndExchange(segment(), at, operand, swap);
  }

  @Override
  public final long remoteAddress() {
    return 0;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(SoftwareRemoteMemory.KEY_SIZE).putInt(slot).putLong(secret).array();
  }

  /** Frees resources other than the memory, after the last access. */
  protected void closed() {
  }

  @Override
  public final void close() {
    int before = USERS.getAndUpdate(this, now -> now | CLOSED);
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
