package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Memory region of a peer. If the region is in a file, the first operation requests and maps it. It stays mapped until this object is
 * closed.
 */
final class ShmRemoteMemory extends SoftwareRemoteMemory {
  /** Bytes of a key: slot (4), whether the region is in a file (4), secret (8). */
  static final int KEY_SIZE = 16;

  enum State { BY_OWNER, UNKNOWN, ASKED, MAPPED, REFUSED }

  private volatile State state;
  private ProviderException refusal;
  private QueueLink asked;
  private Arena arena;
  private MemorySegment mapped;
  private int rights;
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

  MemorySegment region() {
    return mapped;
  }

  /** Returns why this side has not mapped the file; null if the peer refused. */
  synchronized ProviderException refusal() {
    return refusal;
  }

  @Override
  public synchronized MemorySegment mapped() {
    if (mapped == null || !permits(ShmRegion.READ)) {
      return null;
    }
    MemorySegment all = mapped.asSlice(base(), length());
    return permits(ShmRegion.WRITE) ? all : all.asReadOnly();
  }

  boolean permits(int right) {
    return (rights & right) == right;
  }

  /**
   * Marks the file as requested over a {@link QueueLink}. Each link requests it, because an answer to another one would not wake its
   * queue.
   *
   * @return false if the answer is already known
   */
  synchronized boolean ask(QueueLink link) {
    if (state != State.UNKNOWN && state != State.ASKED) {
      return false;
    }
    state = State.ASKED;
    asked = link;
    return true;
  }

  synchronized void opened(Mapping mapping, long size, int allowed, long markOffset, long markValue) {
    MemorySegment file = mapping.memory();
    if (state != State.ASKED || size < 0 || size > file.byteSize() || base() + length() > size
      || markOffset < 0 || markOffset > file.byteSize() - Long.BYTES || markOffset % Long.BYTES != 0) {
      mapping.unmap();
      refused(null);
      return;
    }
    arena = Arena.ofShared();
    MemorySegment all = MemorySegment.ofAddress(file.address()).reinterpret(file.byteSize(), arena, gone -> mapping.unmap());
    mapped = all.asSlice(0, size);
    markWord = all.asSlice(markOffset, Long.BYTES);
    mark = markValue;
    rights = allowed;
    asked = null;
    state = State.MAPPED;
  }

  /**
   * Returns whether the region is still open after an operation on its mapping. If not, the operation has failed. The owner changes the
   * mark before it reclaims the memory, so the fence precedes the read of the mark.
   */
  boolean isStillOpen() {
    VarHandle.fullFence();
    if ((long) Ring.LONG.getVolatile(markWord, 0) == mark) {
      return true;
    }
    state = State.REFUSED;
    return false;
  }

  /** @param why why this side cannot map the file; null if the peer refused */
  synchronized void refused(ProviderException why) {
    if (state == State.ASKED) {
      asked = null;
      refusal = why;
      state = State.REFUSED;
    }
  }

  /** Called when a {@link QueueLink} has ended. Another one may then request the file. */
  synchronized void lost(QueueLink link) {
    if (state == State.ASKED && asked == link) {
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
