package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A peer's region: slot in its table and secret, base and length. If it lies in a file, the first operation asks its owner for that, which
 * then is mapped until this is closed.
 */
final class ShmRemoteMemory extends SoftwareRemoteMemory {
  /** Slot (4 bytes), whether it is in a file (4), secret (8). */
  static final int KEY_SIZE = 16;

  /** Whether operations can be done by this side. */
  enum State { BY_OWNER, UNKNOWN, ASKED, MAPPED, REFUSED }

  private volatile State state;
  private Peering asked;
  private Arena arena;
  /** The region from its start; as long as the mapping, or closed with it. */
  private MemorySegment mapped;
  private int rights;
  /** A word of the owner, and what it is while the region is open. */
  private MemorySegment markWord;
  private long mark;

  ShmRemoteMemory(long base, long length, byte[] key) {
    super(ShmDevice.NAME, base, length, key, KEY_SIZE);
    this.state = ByteBuffer.wrap(key).getInt(Integer.BYTES) == 0 ? State.BY_OWNER : State.UNKNOWN;
  }

  static byte[] key(int slot, long secret, boolean inFile) {
    return ByteBuffer.allocate(KEY_SIZE).putInt(slot).putInt(inFile ? 1 : 0).putLong(secret).array();
  }

  State state() {
    return state;
  }

  /** The region from its own start, where it is {@link State#MAPPED}. */
  MemorySegment region() {
    return mapped;
  }

  @Override
  public synchronized MemorySegment mapped() {
    if (mapped == null || !permits(ShmRegion.READ)) {
      return null;
    }
    MemorySegment all = mapped.asSlice(base(), length());
    return permits(ShmRegion.WRITE) ? all : all.asReadOnly();
  }

  /** Whether the owner allows an operation that needs these rights, of {@link ShmRegion#rights(java.util.Set)}. */
  boolean permits(int right) {
    return (rights & right) == right;
  }

  /**
   * Notes who is asked, the last of several: each peering asks for itself, since the answer to another would not wake its queue. The first
   * answer counts.
   *
   * @return false if the answer is known
   */
  synchronized boolean ask(Peering peering) {
    if (state != State.UNKNOWN && state != State.ASKED) {
      return false;
    }
    state = State.ASKED;
    asked = peering;
    return true;
  }

  /** The owner has sent the file. @param mapping all of it */
  synchronized void opened(Mapping mapping, long offset, long size, int allowed, long markOffset, long markValue) {
    MemorySegment file = mapping.memory();
    if (state != State.ASKED || offset < 0 || size < 0 || offset > file.byteSize() - size || base() + length() > size
      || markOffset < 0 || markOffset > file.byteSize() - Long.BYTES || markOffset % Long.BYTES != 0) {
      mapping.unmap();
      refused();
      return;
    }
    arena = Arena.ofShared();
    MemorySegment all = MemorySegment.ofAddress(file.address()).reinterpret(file.byteSize(), arena, gone -> mapping.unmap());
    mapped = all.asSlice(offset, size);
    markWord = all.asSlice(markOffset, Long.BYTES);
    mark = markValue;
    rights = allowed;
    asked = null;
    state = State.MAPPED;
  }

  /**
   * Tells whether what was just done to the mapping counts: the region was still open after it. Otherwise nothing may be done to it any
   * more. The fence puts what was written into memory before the mark is read: the owner reclaims the memory after it has changed the mark.
   */
  boolean isStillOpen() {
    VarHandle.fullFence();
    if ((long) Ring.LONG.getVolatile(markWord, 0) == mark) {
      return true;
    }
    state = State.REFUSED;
    return false;
  }

  /** The owner has no such region, or does not allow it. */
  synchronized void refused() {
    if (state == State.ASKED) {
      asked = null;
      state = State.REFUSED;
    }
  }

  /** The one that was asked is gone: another connection may ask again. */
  synchronized void lost(Peering peering) {
    if (state == State.ASKED && asked == peering) {
      asked = null;
      state = State.UNKNOWN;
    }
  }

  @Override
  protected synchronized void unmap() {
    state = State.REFUSED;
    if (arena != null) {
      arena.close();
      arena = null;
      mapped = null;
    }
  }
}
