package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A region with a random 4-byte key and a virtual address. Peers in this process find it by its key. */
final class StrictRegion extends AbstractMemoryRegion {
  static final int KEY_SIZE = Integer.BYTES;
  private static final Map<Integer, StrictRegion> BY_KEY = new ConcurrentHashMap<>();
  private static final SecureRandom RANDOM = new SecureRandom();

  final MemoryRegion raw;
  private final StrictDomain domain;
  private final MemorySegment memory;
  private final int key;
  private volatile boolean closed;

  StrictRegion(StrictDomain domain, MemoryRegion raw) {
    super(raw.segment(), raw.access());
    this.domain = domain;
    this.raw = raw;
    MemorySegment segment = segment();
    memory = segment.isAccessibleBy(new Thread()) ? segment : MemorySegment.ofAddress(segment.address()).reinterpret(segment.byteSize());
    int random;
    do {
      random = RANDOM.nextInt();
    } while (BY_KEY.putIfAbsent(random, this) != null);
    key = random;
  }

  static StrictRegion byKey(byte[] key) {
    return BY_KEY.get(ByteBuffer.wrap(key).getInt());
  }

  /** Returns a range that any thread may access, or null if it exceeds the region. */
  static MemorySegment range(MemoryRegion region, long offset, long length) {
    return region instanceof StrictRegion own && own.covers(offset, length) ? own.memory.asSlice(offset, length) : null;
  }

  boolean allows(Access right, long offset, long length) {
    return length == 0 ? isOpen() : access().contains(right) && covers(offset, length);
  }

  @Override
  protected boolean isOpen() {
    return !closed;
  }

  @Override
  public long remoteAddress() {
    return segment().address();
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
