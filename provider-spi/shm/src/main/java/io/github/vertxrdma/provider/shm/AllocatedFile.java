package io.github.vertxrdma.provider.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * File with memory of this process, followed by a page of marks. Each region that peers may map has a mark, which changes when the region
 * is closed. After an operation, a peer reports success only if the mark is unchanged.
 */
final class AllocatedFile {
  private static final int MARKS = (int) (AnonymousFile.PAGE / Long.BYTES);
  private static final long CHUNK = 2 << 20;
  private static final ConcurrentSkipListMap<Long, AllocatedFile> ALL = new ConcurrentSkipListMap<>();

  private final AnonymousFile file;
  private final long size;
  /** Offset of the page of marks: the size, rounded up to pages. */
  private final long bytes;
  private final BitSet marks = new BitSet();
  private long lastMark;
  private boolean handedOut;
  /** True if this process cannot find out whether a peer still maps the file. */
  private boolean untracked;
  private boolean detached;

  private AllocatedFile(AnonymousFile file, long size) {
    this.file = file;
    this.size = size;
    this.bytes = length(size) - AnonymousFile.PAGE;
  }

  /** Returns the bytes of the file for an allocation. */
  static long length(long size) {
    return (size + AnonymousFile.PAGE - 1 & -AnonymousFile.PAGE) + AnonymousFile.PAGE;
  }

  static MemorySegment allocate(long size, boolean writable, Arena arena) {
    AllocatedFile made = new AllocatedFile(AnonymousFile.create(length(size), writable), size);
    ALL.put(made.address(), made);
    return MemorySegment.ofAddress(made.address()).reinterpret(size, arena, gone -> made.free());
  }

  private long address() {
    return file.memory.address();
  }

  private synchronized void free() {
    detached = true;
    ALL.remove(address(), this);
    file.unmap();
    file.release();
  }

  static AllocatedFile of(MemorySegment memory) {
    Map.Entry<Long, AllocatedFile> entry = ALL.floorEntry(memory.address());
    return entry == null || memory.address() + memory.byteSize() > entry.getKey() + entry.getValue().bytes ? null : entry.getValue();
  }

  final class MapPermit {
    private final int index;
    final long mark;

    private MapPermit() {
      index = marks.nextClearBit(0);
      marks.set(index);
      mark = ++lastMark;
      file.hold();
      write(index, mark);
    }

    long markOffset() {
      return bytes + (long) index * Long.BYTES;
    }

    boolean writable() {
      return file.writable;
    }

    AnonymousFile handOut() {
      synchronized (AllocatedFile.this) {
        handedOut = true;
        AnonymousFile out = file.reopen();
        untracked |= out == file;
        return out;
      }
    }

    void end() {
      synchronized (AllocatedFile.this) {
        if (!detached) {
          write(index, 0);
        }
        marks.clear(index);
        file.release();
      }
    }
  }

  private void write(int index, long value) {
    Ring.LONG.setVolatile(file.memory, bytes + (long) index * Long.BYTES, value);
  }

  /**
   * Lets peers map a region. A peer that maps the file can access all of it, so only a region of the whole allocation can be mapped. If the
   * file is writable, peers map only one region of it, and none while a peer still maps an earlier one.
   *
   * @return null if peers cannot map the region
   */
  synchronized MapPermit expose(MemorySegment memory, boolean written) {
    return detached || memory.byteSize() != size || written != file.writable || marks.cardinality() == MARKS
      || written && (!marks.isEmpty() || isMappedByOthers()) ? null : new MapPermit();
  }

  private boolean isMappedByOthers() {
    handedOut = handedOut && (untracked || file.isLockedByOthers());
    return handedOut;
  }

  synchronized boolean reclaim(boolean movable) {
    if (detached || !marks.isEmpty() || !isMappedByOthers()) {
      return true;
    }
    if (!movable) {
      return false;
    }
    SystemCalls.makePrivate(file.fd, address(), bytes);
    if (file.writable) {
      copyAll();
    }
    // The memory is no longer in the file, so peers must not map it.
    ALL.remove(address(), this);
    detached = true;
    return true;
  }

  /**
   * Gives this process private copies of all pages, and frees the file's pages. Atomically adding 0 to a page makes the kernel copy it,
   * while other threads may use it.
   */
  private void copyAll() {
    for (long at = 0; at < bytes; at += CHUNK) {
      long end = Math.min(bytes, at + CHUNK);
      for (long page = at; page < end; page += AnonymousFile.PAGE) {
        long ignored = (long) Ring.LONG.getAndAdd(file.memory, page, 0L);
      }
      SystemCalls.punch(file.fd, at, end - at);
    }
  }
}
