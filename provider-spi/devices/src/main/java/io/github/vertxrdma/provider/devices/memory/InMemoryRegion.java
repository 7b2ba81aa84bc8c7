package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory. Peers copy into and out of it on their own threads, so {@link #close} waits for copies under way: afterwards nothing
 * touches the memory, as with a device that deregisters.
 */
final class InMemoryRegion implements MemoryRegion {
  private static final int CLOSED = Integer.MIN_VALUE;

  final RegionTable table;
  private final MemorySegment segment;
  private final MemorySegment memory;
  private final Set<Access> access;
  private final boolean localWrite;
  private final boolean readSink;
  private final AtomicInteger users = new AtomicInteger();
  private final long key;

  InMemoryRegion(RegionTable table, MemorySegment segment, Set<Access> access) {
    this.table = table;
    this.segment = segment;
    this.access = Set.copyOf(access);
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
    if (offset < 0 || length < 0 || offset > size() - length) {
      return null;
    }
    int n;
    do {
      n = users.get();
      if (n < 0) {
        return null;
      }
    } while (!users.compareAndSet(n, n + 1));
    return memory.asSlice(offset, length);
  }

  void release() {
    users.decrementAndGet();
  }

  boolean localWrite() {
    return localWrite;
  }

  boolean readSink() {
    return readSink;
  }

  boolean open() {
    return users.get() >= 0;
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public long size() {
    return segment.byteSize();
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
