package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory. Peers copy into and out of it on their own threads, so {@link #close} waits for copies under way: afterwards nothing
 * touches the memory, as with a device that deregisters.
 */
final class InMemoryRegion extends AbstractMemoryRegion {
  private static final int CLOSED = Integer.MIN_VALUE;

  final RegionTable table;
  private final MemorySegment memory;
  private final boolean localWrite;
  private final boolean readSink;
  private final AtomicInteger users = new AtomicInteger();
  private final long key;

  InMemoryRegion(RegionTable table, MemorySegment segment, Set<Access> access) {
    super(segment, access);
    this.table = table;
    localWrite = access.contains(Access.LOCAL_WRITE);
    readSink = localWrite || access.contains(Access.READ_SINK);
    // A device knows addresses, not arenas: memory of a confined arena is used by every thread here, as by a NIC.
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    key = table.fabric.add(this);
  }

  static void check(String device, MemorySegment memory) {
    if (!memory.isNative()) {
      throw new ProviderException(ProviderException.Reason.INVALID, device + ": " + memory.byteSize()
        + " bytes on the Java heap cannot be registered — allocate them with an Arena");
    }
  }

  /** Null if closed or out of range, otherwise the range, to be given back with {@link #release}. */
  MemorySegment acquire(long offset, long length) {
    return hold(offset, length) ? memory.asSlice(offset, length) : null;
  }

  private boolean hold(long offset, long length) {
    if (!covers(offset, length)) {
      return false;
    }
    int n;
    do {
      n = users.get();
      if (n < 0) {
        return false;
      }
    } while (!users.compareAndSet(n, n + 1));
    return true;
  }

  /** Copies from a range, for short messages without an object for it. @return false if it is closed or out of range */
  boolean read(long offset, MemorySegment to, long at, long length) {
    boolean held = hold(offset, length);
    if (held) {
      MemorySegment.copy(memory, offset, to, at, length);
      release();
    }
    return held;
  }

  /** Copies into a range, likewise. */
  boolean write(long offset, byte[] from) {
    boolean held = hold(offset, from.length);
    if (held) {
      MemorySegment.copy(from, 0, memory, ValueLayout.JAVA_BYTE, offset, from.length);
      release();
    }
    return held;
  }

  /** A range as peers see it that map it; null if it is none. */
  MemorySegment view(long offset, long length) {
    return covers(offset, length) ? memory.asSlice(offset, length).asReadOnly() : null;
  }

  void release() {
    users.decrementAndGet();
  }

  boolean localWrite() {
    return localWrite;
  }

  /** Whether what a read or an atomic brings may be put there. */
  boolean isSink(Operation operation) {
    return operation.isAtomic() ? localWrite : readSink;
  }

  @Override
  protected boolean isOpen() {
    return users.get() >= 0;
  }

  @Override
  public long remoteAddress() {
    return 0;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  @Override
  public void close() {
    int n;
    do {
      n = users.get();
      if (n < 0) {
        return;
      }
    } while (!users.compareAndSet(n, n | CLOSED));
    while (users.get() != CLOSED) {
      Thread.onSpinWait();
    }
    table.fabric.remove(key);
    table.closed(this);
  }
}
