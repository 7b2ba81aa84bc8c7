package io.github.vertxrdma.provider.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The file of memory that this process allocated. Behind the memory lies a page of marks, one for each region that peers may map: whoever
 * has done something to a region looks at its mark before it says that it was done.
 */
final class AllocatedFile {
  private static final int MARKS = (int) (AnonymousFile.PAGE / Long.BYTES);
  /** Bytes copied before their pages in the file are freed. */
  private static final long CHUNK = 2 << 20;
  /** By address, of all domains of this process. */
  private static final ConcurrentSkipListMap<Long, AllocatedFile> ALL = new ConcurrentSkipListMap<>();

  private final AnonymousFile file;
  /** Bytes before the marks. */
  private final long bytes;
  private final BitSet marks = new BitSet();
  private long lastMark;
  /** Whether a peer may have it mapped. */
  private boolean handedOut;
  /** Whether it cannot be told when no peer has it mapped any more. */
  private boolean untold;
  /** Whether the memory lies in it no more. */
  private boolean left;

  private AllocatedFile(AnonymousFile file, long bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /** Memory of an arena that peers can map; freed with it. @param writable whether peers may write it */
  static MemorySegment allocate(long size, boolean writable, Arena arena) {
    long bytes = size + AnonymousFile.PAGE - 1 & -AnonymousFile.PAGE;
    AllocatedFile made = new AllocatedFile(AnonymousFile.create(bytes + AnonymousFile.PAGE, writable), bytes);
    ALL.put(made.address(), made);
    return MemorySegment.ofAddress(made.address()).reinterpret(size, arena, gone -> made.free());
  }

  private long address() {
    return file.memory().address();
  }

  private synchronized void free() {
    left = true;
    ALL.remove(address(), this);
    file.unmap();
    file.release();
  }

  /** The file that all of this memory lies in; null if there is none. */
  static AllocatedFile of(MemorySegment memory) {
    Map.Entry<Long, AllocatedFile> entry = ALL.floorEntry(memory.address());
    return entry == null || memory.address() + memory.byteSize() > entry.getKey() + entry.getValue().bytes ? null : entry.getValue();
  }

  /** A region that peers may map, for as long as it is registered. */
  final class Loan {
    private final int index;
    private final long mark;
    private final long offset;

    private Loan(MemorySegment memory) {
      index = marks.nextClearBit(0);
      marks.set(index);
      mark = ++lastMark;
      offset = memory.address() - address();
      file.hold();
      write(index, mark);
    }

    /** Offset of the region in the file. */
    long offset() {
      return offset;
    }

    /** Offset of its mark in the file. */
    long markOffset() {
      return bytes + (long) index * Long.BYTES;
    }

    /** Content of its mark while it is registered. */
    long mark() {
      return mark;
    }

    boolean writable() {
      return file.writable();
    }

    /** The file for a peer; released by the caller. */
    AnonymousFile handOut() {
      synchronized (AllocatedFile.this) {
        handedOut = true;
        AnonymousFile out = file.reopen();
        untold |= out == file;
        return out;
      }
    }

    void end() {
      synchronized (AllocatedFile.this) {
        if (!left) {
          write(index, 0);
        }
        marks.clear(index);
        file.release();
      }
    }
  }

  private void write(int index, long value) {
    Ring.LONG.setVolatile(file.memory(), bytes + (long) index * Long.BYTES, value);
  }

  /**
   * Lets peers map a region of it. Memory that they may write is mapped for one region at a time, and not while anybody has it from an
   * earlier time: so {@link #reclaim} cuts off none but those whose region is closed.
   *
   * @param written whether the region is for peers that write it. If not, they must not be able to
   * @return null if they cannot map it
   */
  synchronized Loan expose(MemorySegment memory, boolean written) {
    return left || written != file.writable() || marks.cardinality() == MARKS || written && (!marks.isEmpty() || isMappedByOthers())
      ? null : new Loan(memory);
  }

  private boolean isMappedByOthers() {
    handedOut = handedOut && (untold || file.isLockedByOthers());
    return handedOut;
  }

  /** See {@link io.github.vertxrdma.provider.Domain#reclaim}. */
  synchronized boolean reclaim(boolean movable) {
    if (left || !marks.isEmpty() || !isMappedByOthers()) {
      return true;
    }
    if (!movable) {
      return false;
    }
    SystemCalls.makePrivate(file.fd(), address(), bytes);
    if (file.writable()) {
      copyAll();
    }
    // Peers that map it from here on would not see this memory.
    ALL.remove(address(), this);
    left = true;
    return true;
  }

  /**
   * Gives each page to this process alone: one that nobody here has written would still show what peers write. An addition of nothing lets
   * other threads of this process read and write meanwhile. What was copied is freed in the file, so that no more memory is needed than
   * before.
   */
  private void copyAll() {
    for (long at = 0; at < bytes; at += CHUNK) {
      long end = Math.min(bytes, at + CHUNK);
      for (long page = at; page < end; page += AnonymousFile.PAGE) {
        long ignored = (long) Ring.LONG.getAndAdd(file.memory(), page, 0L);
      }
      SystemCalls.punch(file.fd(), at, end - at);
    }
  }
}
