package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.base.FileMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Native memory by address: malloc(3), loads and stores. Accesses are checked only for addresses near NULL. Memory that a C library will
 * free(3) must come from this class.
 */
public final class Memory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final MemorySegment CALLOC = Downcall.function("calloc");
  private static final MemorySegment ALIGNED_ALLOC = Downcall.function("aligned_alloc");
  private static final MemorySegment FREE = Downcall.function("free");
  private static final int PAGE = 4096;
  private static final int NULL_PAGE = PAGE;
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
  private static final int MADV_NOHUGEPAGE = 15;
  /** Size of a huge page of x86-64, and of AArch64 with pages of 4 KiB. */
  private static final int HUGE_PAGE = 2 << 20;

  private Memory() {
  }

  /** Allocates zeroed memory, aligned for any C type. @throws OutOfMemoryError if there is none */
  public static long allocate(long bytes) {
    return granted(Calls.plain(CALLOC, 1, Math.max(1, bytes)), bytes);
  }

  /** Allocates zeroed memory at a multiple of the alignment, a power of two. */
  public static long allocateAligned(long bytes, long alignment) {
    long size = (Math.max(1, bytes) + alignment - 1) & -alignment;
    long address = granted(Calls.plain(ALIGNED_ALLOC, alignment, size), bytes);
    fill(address, size, (byte) 0);
    return address;
  }

  /**
   * Allocates zeroed pages with mmap(2). Unlike an arena's memory, a page occupies memory only after its first use.
   *
   * @param arena shared arena that unmaps the pages
   */
  public static MemorySegment allocatePages(long bytes, Arena arena) {
    long size = (Math.max(1, bytes) + PAGE - 1) & -PAGE;
    long address = Calls.pointer(Pages.MMAP, 0, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
    if (address == -1) {
      throw new OutOfMemoryError("mmap of " + bytes + " bytes failed: " + Errno.describe(Errno.last()));
    }
    if (size < HUGE_PAGE) {
      // Linux merges adjacent mappings. Otherwise the first use of one mapping could allocate a huge page across several.
      Calls.pointer(Pages.MADVISE, address, size, MADV_NOHUGEPAGE);
    }
    try {
      return MemorySegment.ofAddress(address).reinterpret(bytes, arena, gone -> Calls.pointer(Pages.MUNMAP, address, size));
    } catch (RuntimeException e) {
      Calls.pointer(Pages.MUNMAP, address, size);
      throw e;
    }
  }

  /** Functions looked up on first use, because C libraries of other systems may lack them. */
  private static final class Pages {
    private static final long MMAP = Downcall.libc("mmap");
    private static final long MUNMAP = Downcall.libc("munmap");
    private static final long MADVISE = Downcall.libc("madvise");
  }

  /** Allocates a C string that a library may free(3). */
  public static long allocateString(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    long address = allocate(bytes.length + 1L);
    putBytes(address, bytes);
    return address;
  }

  public static void free(long address) {
    Calls.plain(FREE, address);
  }

  private static long granted(long address, long bytes) {
    if (address == 0) {
      throw new OutOfMemoryError("malloc of " + bytes + " bytes failed");
    }
    return address;
  }

  public static byte getByte(long address) {
    return ALL.get(ValueLayout.JAVA_BYTE, check(address));
  }

  public static int getInt(long address) {
    return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, check(address));
  }

  public static long getLong(long address) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, check(address));
  }

  public static void putByte(long address, byte value) {
    ALL.set(ValueLayout.JAVA_BYTE, check(address), value);
  }

  public static void putShort(long address, short value) {
    ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, check(address), value);
  }

  public static short getShort(long address) {
    return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, check(address));
  }

  public static void putInt(long address, int value) {
    ALL.set(ValueLayout.JAVA_INT_UNALIGNED, check(address), value);
  }

  public static void putLong(long address, long value) {
    ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, check(address), value);
  }

  public static byte[] getBytes(long address, int length) {
    byte[] bytes = new byte[length];
    if (length > 0) {
      MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, check(address), bytes, 0, length);
    }
    return bytes;
  }

  public static void putBytes(long address, byte[] bytes) {
    if (bytes.length > 0) {
      MemorySegment.copy(bytes, 0, ALL, ValueLayout.JAVA_BYTE, check(address), bytes.length);
    }
  }

  public static void fill(long address, long length, byte value) {
    ALL.asSlice(check(address), length).fill(value);
  }

  public static void copy(long from, long to, long length) {
    MemorySegment.copy(ALL, check(from), ALL, check(to), length);
  }

  /** Copies memory that is mapped from a file. @throws IllegalStateException if the file was truncated */
  public static void copyFromFile(MemorySegment from, long offset, long to, long length) {
    FileMemory.copy(from, offset, ALL, check(to), length);
  }

  /** Returns null for address 0. */
  public static String getString(long address) {
    return address == 0 ? null : ALL.getString(check(address));
  }

  static String getString(long address, Charset encoding) {
    return new String(ALL.getString(check(address), StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1), encoding);
  }

  public static MemorySegment segment(long address, long length) {
    return MemorySegment.ofAddress(check(address)).reinterpret(length);
  }

  private static long check(long address) {
    if (address >= 0 && address < NULL_PAGE) {
      throw new NullPointerException("native address " + address);
    }
    return address;
  }
}
