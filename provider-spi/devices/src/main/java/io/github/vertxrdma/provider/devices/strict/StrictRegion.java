package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A region with a random key of four bytes and a virtual address. All of a process are in one table, where peers look keys up. */
final class StrictRegion implements MemoryRegion {
  static final int KEY_SIZE = Integer.BYTES;
  private static final Map<Integer, StrictRegion> BY_KEY = new ConcurrentHashMap<>();
  private static final SecureRandom RANDOM = new SecureRandom();

  final MemoryRegion raw;
  private final StrictDomain domain;
  private final MemorySegment memory;
  private final int key;
  private volatile boolean closed;

  StrictRegion(StrictDomain domain, MemoryRegion raw) {
    this.domain = domain;
    this.raw = raw;
    // A device knows addresses, not arenas.
    MemorySegment segment = raw.segment();
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    int random;
    do {
      random = RANDOM.nextInt();
    } while (BY_KEY.putIfAbsent(random, this) != null);
    key = random;
  }

  /** The open region with that key; null if there is none. */
  static StrictRegion byKey(byte[] key) {
    return BY_KEY.get(ByteBuffer.wrap(key).getInt());
  }

  /** A range of it, for any thread; null if it is not within. */
  static MemorySegment range(MemoryRegion region, long offset, long length) {
    return region instanceof StrictRegion own && !own.closed && offset >= 0 && length >= 0 && offset <= own.size() - length
      ? own.memory.asSlice(offset, length) : null;
  }

  boolean allows(Access right, long offset, long length) {
    return !closed && (length == 0 || raw.access().contains(right) && offset >= 0 && offset <= size() - length);
  }

  @Override
  public MemorySegment segment() {
    return raw.segment();
  }

  @Override
  public long size() {
    return raw.size();
  }

  @Override
  public Set<Access> access() {
    return raw.access();
  }

  @Override
  public long remoteAddress() {
    return raw.segment().address();
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(KEY_SIZE).putInt(key).array();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    BY_KEY.remove(key, this);
    raw.close();
    domain.deregistered(this);
  }
}
