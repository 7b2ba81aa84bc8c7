package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A range of addresses that maps the same memory again and again; memfd_create(2), mmap(2). */
final class RepeatedMemory implements AutoCloseable {
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 2 | 0x20 | 0x4000;
  private static final int MAP_FIXED = 0x10;

  private final MemorySegment segment;

  private RepeatedMemory(MemorySegment segment) {
    this.segment = segment;
  }

  static RepeatedMemory map(long size, long part) {
    long range = checked("mmap", Calls.pointer(Downcall.libc("mmap"), 0, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0));
    try (Arena arena = Arena.ofConfined()) {
      long file = checked("memfd_create", Calls.number(Downcall.libc("memfd_create"), arena.allocateFrom("repeated").address(), 0));
      checked("ftruncate", Calls.number(Downcall.libc("ftruncate"), file, part));
      for (long at = 0; at < size; at += part) {
        checked("mmap", Calls.pointer(Downcall.libc("mmap"), range + at, part, PROT_READ_WRITE, MAP_SHARED | MAP_FIXED, file, 0));
      }
      Calls.number(Downcall.libc("close"), file);
    }
    return new RepeatedMemory(MemorySegment.ofAddress(range).reinterpret(size));
  }

  private static long checked(String call, long result) {
    if (result == -1) {
      throw new IllegalStateException(call + ": " + Errno.describe(Errno.last()));
    }
    return result;
  }

  MemorySegment segment() {
    return segment;
  }

  @Override
  public void close() {
    Calls.number(Downcall.libc("munmap"), segment.address(), segment.byteSize());
  }
}
